import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { uploaderApi } from '../contract/chat/files.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import type { Ground } from './ground.ts'
import { median } from './numbers.ts'
import { measurePages } from './pageuploads.ts'
import { type Program, pause, pssOf, startBare, startProduct } from './program.ts'
import { type Row, row } from './row.ts'
import { scratchFolder } from './scratch.ts'
import { type SeedUser, seedUsers } from './seed.ts'

const WATCHED_MS = 10
const MB = 1024 * 1024

/** Measures what uploads of the largest sealed file cost the server: its memory while many come at once, and its speed. Then the pages. */
export async function measureUploads(ground: Ground): Promise<Row[]> {
  const [count, rounds] = ground.isQuick ? [5, 1] : [50, 5]
  const databaseUrl = await ground.freshDatabase()
  const seeded = await seedUsers(databaseUrl, count)
  const body = randomBytes(LIMITS.sealedFileBytes)
  const product: Uploaded[] = []
  const bare: Uploaded[] = []
  for (let round = 0; round < rounds; round++) {
    const folder = scratchFolder('uploads')
    const server = await startProduct(databaseUrl, { CONCLAVE_DATA: folder })
    product.push(await uploaded(server, body, seeded, (user) => addressOf(server, user)))
    const floor = await startBare('bareput.ts', [folder])
    bare.push(await uploaded(floor, body, seeded, async () => '/x'))
    rmSync(folder, { recursive: true, force: true })
  }
  const of = (all: Uploaded[], pick: keyof Uploaded) => median(all.map((each) => each[pick]))
  const note = `PSS over that of the server at rest, highest of looks each ${WATCHED_MS} ms; a bare server ${of(bare, 'grownMB').toFixed(1)} MB`
  const size = (LIMITS.sealedFileBytes / MB).toFixed(2)
  return [
    row('uploads', `memory of ${count} uploads of ${size} MB at once`, of(product, 'grownMB'), 'MB', { atMost: 100, note }),
    row('uploads', 'stored and flushed, one after another', of(product, 'perSecondMB'), 'MB/s', {
      note: `hashed and counted too; a bare server ${of(bare, 'perSecondMB').toFixed(0)} MB/s`,
    }),
    row('uploads', 'the same against a bare server', of(product, 'perSecondMB') / of(bare, 'perSecondMB'), 'x', { atLeast: 0.7 }),
    ...(await measurePages(ground.isQuick)),
  ]
}

interface Uploaded {
  grownMB: number
  perSecondMB: number
}

/** Uploads one after another, then all at once, and stops the program. */
async function uploaded(
  program: Program,
  body: Uint8Array<ArrayBuffer>,
  users: SeedUser[],
  address: (user: SeedUser) => Promise<string>,
): Promise<Uploaded> {
  const some = users.slice(0, 5)
  const put = async (user: SeedUser, to: string) => {
    const url = `http://127.0.0.1:${program.port}${to}`
    const headers = { cookie: user.cookie, 'content-type': 'application/octet-stream' }
    const { status } = await fetch(url, { method: 'PUT', headers, body })
    if (status !== 200) throw new Error(`An upload was answered ${status}`)
  }
  // The first one makes the server load code.
  for (const user of some.slice(0, 1)) await put(user, await address(user))
  const addresses = await Promise.all(some.map(address))
  const start = performance.now()
  for (const [at, user] of some.entries()) await put(user, addresses[at] ?? '')
  const seconds = (performance.now() - start) / 1000
  const all = await Promise.all(users.map(address))
  await program.collect()
  await pause(300)
  const before = pssOf(program.pid)
  let highest = before
  const watch = setInterval(() => {
    highest = Math.max(highest, pssOf(program.pid))
  }, WATCHED_MS)
  await Promise.all(users.map((user, at) => put(user, all[at] ?? ''))).finally(() => clearInterval(watch))
  await program.stop()
  return { grownMB: (highest - before) / 1024, perSecondMB: (some.length * body.length) / MB / seconds }
}

async function addressOf({ port }: Program, { cookie }: SeedUser): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${uploaderApi.params.path}`, { headers: { cookie } })
  return uploaderApi.params.output.parse(await answer.json()).url
}
