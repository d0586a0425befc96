import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { runningUrl } from '../server/db/embedded.ts'
import { conversation, joined, personWithProfile, test } from './people.ts'

const canary = () => `canary${crypto.randomUUID().replaceAll('-', '')}`

/** The encodings to search for. Base64 has three, by the word's offset; the outer characters depend on the bytes around it. */
function formsOf(word: string): string[] {
  const inBase64 = [0, 1, 2].map((shift) =>
    Buffer.from('x'.repeat(shift) + word)
      .toString('base64')
      .slice(4, -4),
  )
  return [word, Buffer.from(word).toString('hex'), Buffer.from(word, 'utf16le').toString('latin1'), ...inBase64]
}

const finds = (text: string, word: string) => formsOf(word).some((form) => text.includes(form))

/** Every row of every table, as text. */
async function everyRow(dataFolder: string): Promise<string> {
  const client = new pg.Client(await runningUrl(dataFolder, 'conclave'))
  await client.connect()
  try {
    const { rows: tables } = await client.query("select table_name from information_schema.tables where table_schema = 'public'")
    expect(tables.length).toBeGreaterThan(10)
    const found: string[] = []
    for (const { table_name } of tables) {
      const { rows } = await client.query(`select t::text as row, to_jsonb(t)::text as json from "${table_name}" t`)
      found.push(...rows.map(({ row, json }) => `${row}\n${json}`))
    }
    return found.join('\n')
  } finally {
    await client.end()
  }
}

/** Every file below a folder, byte for byte. */
async function everyFile(folder: string): Promise<string> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const texts = await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1').catch(() => '')))
  return texts.join('\n')
}

test('After a conversation no word of it and no password lies in the database, the log, or the browsers’ storage', async ({
  server,
}) => {
  const [alice, bob] = await Promise.all([
    joined(server, await personWithProfile(server, 'Alice')),
    joined(server, await personWithProfile(server, 'Bob')),
  ])
  const [fromAlice, fromBob, draft] = [canary(), canary(), canary()]
  await conversation(alice, bob)
  await alice.says(`${fromAlice} is what I say`)
  await bob.reads(fromAlice)
  await bob.says(`${fromBob} is my answer`)
  await alice.reads(fromBob)
  await alice.drafts(draft)
  // The search has put the message into the index on disk.
  await alice.page.getByPlaceholder('Search').fill(fromBob)
  await alice.page.getByRole('region', { name: 'Messages' }).getByRole('link', { name: fromBob }).waitFor()

  const database = await everyRow(server.dataFolder)
  await alice.leaves()
  await bob.leaves()
  const [files, profiles] = await Promise.all([
    everyFile(server.dataFolder),
    Promise.all([alice, bob].map(({ profile }) => everyFile(profile))),
  ])
  const places = { database, files, log: server.output(), aliceProfile: profiles[0] ?? '', bobProfile: profiles[1] ?? '' }

  // The scan works: it finds a word that is public in each place.
  expect(finds(places.database, bob.username)).toBe(true)
  expect(finds(places.files, bob.username)).toBe(true)
  expect(finds(places.log, 'Conclave is ready')).toBe(true)
  expect(finds(places.aliceProfile, alice.username)).toBe(true)

  for (const [place, text] of Object.entries(places)) {
    for (const word of [fromAlice, fromBob, draft, alice.password, bob.password]) {
      expect(finds(text, word), `${word} lies in the ${place}`).toBe(false)
    }
  }
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
})
