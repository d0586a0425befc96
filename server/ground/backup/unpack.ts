import { chownSync, createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Account } from '../db/binaries.ts'
import { type Entry, readArchive } from './archive.ts'
import { BackupError } from './backupError.ts'
import type { Backup } from './manifest.ts'
import { unseal } from './sealing.ts'

/** Throws BackupError. */
export async function unpack(
  { folder, manifest }: Backup,
  into: string,
  { identity, account }: { identity: string | undefined; account: Account | undefined },
): Promise<void> {
  const sealed = createReadStream(path.join(folder, manifest.archive.file))
  const opened = await unseal(sealed, manifest.recipient === null ? undefined : identity)
  const take = async ({ name, file }: Entry) => {
    if (!/^(postgres|onion)(\/|$)/.test(name)) throw new BackupError(`The archive has a file that no backup has: ${name}`)
    const at = path.join(into, name)
    if (file) await pipeline(Readable.from(file.bytes), createWriteStream(at, { flags: 'wx', mode: 0o600 }))
    else await mkdir(at, { mode: 0o700 })
    if (account && name.startsWith('postgres')) chownSync(at, account.uid, account.gid)
  }
  try {
    await pipeline(opened, createGunzip(), (bytes: AsyncIterable<Buffer>) => readArchive(bytes, take))
  } catch (error) {
    const isOurs =
      error instanceof BackupError || (error instanceof Error && 'code' in error && !String(error.code).startsWith('Z_'))
    throw isOurs ? error : new BackupError(`The archive does not open: ${error instanceof Error ? error.message : error}`)
  }
}
