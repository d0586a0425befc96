import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { runningUrl } from '../server/ground/db/embedded.ts'

/** Works on the database of a running server. */
export async function atDatabase<T>(dataFolder: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(await runningUrl(dataFolder, 'conclave'))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Every row of every table, as text. */
export const everyRow = (dataFolder: string): Promise<string> =>
  atDatabase(dataFolder, async (client) => {
    const { rows: tables } = await client.query("select table_name from information_schema.tables where table_schema = 'public'")
    const found: string[] = []
    for (const { table_name } of tables) {
      const { rows } = await client.query(`select t::text as row, to_jsonb(t)::text as json from "${table_name}" t`)
      found.push(...rows.map(({ row, json }) => `${row}\n${json}`))
    }
    return found.join('\n')
  })

/** Every file below a folder, byte for byte. */
export async function everyFile(folder: string): Promise<string> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const texts = await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1').catch(() => '')))
  return texts.join('\n')
}

/**
 * The encodings to search for. Base64 has three, by the word's offset: of each only the characters that depend on no
 * byte beside the word. All of them are needed: four would be found by chance in a database of ciphertext.
 */
function formsOf(word: string): string[] {
  const inBase64 = [0, 1, 2].map((shift) => {
    const bytes = Buffer.from('x'.repeat(shift) + word)
    return bytes.toString('base64').slice([0, 2, 3][shift], [undefined, -3, -2][bytes.length % 3])
  })
  return [word, Buffer.from(word).toString('hex'), Buffer.from(word, 'utf16le').toString('latin1'), ...inBase64]
}

export const finds = (text: string, word: string): boolean => formsOf(word).some((form) => text.includes(form))
