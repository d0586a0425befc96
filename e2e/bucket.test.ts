import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { startFakeS3 } from '../server/testing/fakes3.ts'
import { portOf } from '../server/testing/world.ts'
import { customer, startChat } from './people.ts'
import type { Person } from './person.ts'
import { startServer } from './server.ts'

const s3 = await startFakeS3()
afterAll(s3.close)

/** Browsers reach the bucket by a way of their own, which can be cut. */
const sockets: Socket[] = []
const way = createServer((socket) => {
  const there = connect(Number(new URL(s3.settings.S3_ENDPOINT).port), '127.0.0.1')
  sockets.push(socket, there)
  for (const one of [socket, there]) one.on('error', () => one.destroy())
  socket.pipe(there).pipe(socket)
})
await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
const publicUrl = `http://127.0.0.1:${portOf(way.address())}/${s3.settings.S3_BUCKET}`

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Alice sends a file, and Bob saves it. Returns what their browsers asked of whom on its way. */
async function passes(alice: Person, bob: Person, name: string): Promise<string[]> {
  const asked: string[] = []
  const note = (request: { url(): string; method(): string }) => {
    if (request.url().startsWith(publicUrl)) asked.push(`bucket ${request.method()}`)
    if (new URL(request.url()).pathname.startsWith('/objects/')) asked.push(`server ${request.method()}`)
  }
  for (const { page } of [alice, bob]) page.on('request', note)
  const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(700_000)])
  const chooser = alice.page.waitForEvent('filechooser')
  await alice.page.getByRole('button', { name: 'Attach files' }).click()
  await alice.page.getByRole('menuitem', { name: 'Choose files' }).click()
  await (await chooser).setFiles([{ name, mimeType: 'application/pdf', buffer: bytes }])
  await alice.page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
  const save = bob.page.getByRole('button', { name: `Save ${name}` })
  await save.waitFor()
  const [saved] = await Promise.all([bob.page.waitForEvent('download'), save.click()])
  expect(sha256(await readFile(await saved.path()))).toBe(sha256(bytes))
  for (const { page } of [alice, bob]) page.off('request', note)
  return asked
}

test('A file goes from Alice’s browser to the bucket and from there to Bob’s; when they reach no bucket it goes by the server', async () => {
  const server = await startServer({ ...s3.settings, S3_PUBLIC_URL: publicUrl, TRUST_PROXY: '1' })
  afterAll(() => server.stop())
  const [alice, bob] = await Promise.all([customer(server, 'Alice'), customer(server, 'Bob')])
  await startChat(alice, bob)
  expect(await passes(alice, bob, 'direct.pdf')).toEqual(['bucket PUT', 'server POST', 'server GET', 'bucket GET'])
  way.close()
  for (const socket of sockets) socket.destroy()
  const around = ['bucket PUT', 'server PUT', 'server GET', 'bucket GET', 'server GET']
  expect(await passes(alice, bob, 'through.pdf')).toEqual(around)
  for (const one of [alice, bob]) await one.leaves()
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
})
