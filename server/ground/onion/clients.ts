import { generateKeyPairSync } from 'node:crypto'
import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { base32 } from '../../../contract/people/onion.ts'
import { OnionError } from './onionError.ts'

const ENDING = '.auth'
const NAME = /^[a-z0-9][a-z0-9_-]{0,40}$/i

export const isClientName = (name: string): boolean => NAME.test(name)

const folderOf = (onionFolder: string): string => path.join(onionFolder, 'authorized_clients')

/** Anybody may come if there is none. */
export function listClients(onionFolder: string): string[] {
  try {
    const names = readdirSync(folderOf(onionFolder)).filter((each) => each.endsWith(ENDING))
    return names.map((each) => each.slice(0, -ENDING.length)).sort()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** Throws OnionError: without the keys of the clients that are named, anybody might come. */
export const clientKeys = (onionFolder: string): string[] =>
  listClients(onionFolder).map((name) => {
    const file = path.join(folderOf(onionFolder), `${name}${ENDING}`)
    const key = /^descriptor:x25519:([A-Za-z2-7]{52})\s*$/.exec(readFileSync(file, 'utf8'))?.[1]
    if (key === undefined) throw new OnionError(`${file} names no key of a client: put a copy of it there, or remove it`)
    return key
  })

/** Returns the private key in base32, which is kept nowhere; undefined if the name is taken (rend-spec-v3, appendix G). */
export function addClient(onionFolder: string, name: string): string | undefined {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const folder = folderOf(onionFolder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, `${name}${ENDING}`)
  const last32 = (der: Buffer) => base32(der.subarray(-32)).toUpperCase()
  try {
    const line = `descriptor:x25519:${last32(publicKey.export({ type: 'spki', format: 'der' }))}\n`
    writeFileSync(file, line, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined
    throw error
  }
  // Root may add whom the server's account must read.
  const { uid, gid } = statSync(onionFolder)
  for (const each of [folder, file]) if (statSync(each).uid !== uid) chownSync(each, uid, gid)
  return last32(privateKey.export({ type: 'pkcs8', format: 'der' }))
}

export function removeClient(onionFolder: string, name: string): boolean {
  if (!listClients(onionFolder).includes(name)) return false
  rmSync(path.join(folderOf(onionFolder), `${name}${ENDING}`))
  return true
}
