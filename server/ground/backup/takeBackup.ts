import path from 'node:path'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { clusterFolder } from '../db/embedded.ts'
import { onionFolder } from '../onion/onionKey.ts'
import { type Entry, writeArchive } from './archive.ts'
import { BackupError, named } from './backupError.ts'
import { copyCluster, copyFolder } from './clusterCopy.ts'
import { dropOlder } from './dropBackups.ts'
import { type Backup, beginFolder, dropUnfinished, finishFolder, folderOfKey, listBackups, type Manifest } from './manifest.ts'
import { type Copied, copyObjects, type Objects } from './objectCopy.ts'
import { type Measured, seal, writeMeasured } from './sealing.ts'
import { dropSlot, openSession, readSource, type Session, type Source, type Stopped, takeLock } from './store.ts'

interface Options {
  dataFolder: string
  url: string
  isServerStopped: boolean
  folder: string
  /** undefined: nothing is encrypted. */
  recipient: string | undefined
  objects: Objects
  version: string
  /** undefined: all backups stay. */
  kept: number | undefined
}

interface Archive extends Measured {
  file: string
  startLsn: string
  stopped: Stopped
}

/** Returns lines for the operator. Throws BackupError. */
export async function takeBackup(options: Options): Promise<string[]> {
  const { folder } = options
  let client: Session | undefined
  let unfinished: string | undefined
  try {
    client = await openSession(options.url)
    await takeLock(client)
    const source = await readSource(client)
    const earlier = await listBackups(folder)
    requireSame(source, earlier.at(-1), folder)
    const startedAt = new Date()
    unfinished = await beginFolder(folder, startedAt)
    const archive = await copyData(client, source, unfinished, options)
    const file = 'objects.txt'
    const objects = await copyObjects(client, options.objects, {
      ...{ folder, recipient: options.recipient, file: path.join(unfinished, file) },
      before: earlier.findLast(({ manifest }) => manifest.objects.folder === folderOfKey(options.recipient)),
    })
    const manifest = manifestOf({ options, source, startedAt, archive, objects: { ...objects, file } })
    const name = await finishFolder(unfinished, manifest)
    const dropped = options.kept === undefined ? undefined : await dropOlder(folder, options.kept)
    return [...linesOf(name, manifest, objects), ...(dropped ? [dropped] : [])]
  } catch (error) {
    if (unfinished !== undefined) await dropUnfinished(unfinished)
    throw named(error, folder)
  } finally {
    await client?.end().catch(() => undefined)
  }
}

/** Two servers would remove each other's backups. */
function requireSame({ systemIdentifier }: Source, newest: Backup | undefined, folder: string): void {
  if (!newest || newest.manifest.postgres.systemIdentifier === systemIdentifier) return
  throw new BackupError(`${folder} has backups of another database. Give each its own folder`)
}

async function copyData(
  client: Session,
  { segmentBytes }: Source,
  unfinished: string,
  { dataFolder, recipient }: Options,
): Promise<Archive> {
  let startLsn = ''
  let stopped: Stopped | undefined
  async function* entries(): AsyncGenerator<Entry> {
    yield* copyCluster(
      client,
      { folder: clusterFolder(dataFolder), segmentBytes },
      {
        label: path.basename(unfinished),
        onStart: (lsn) => {
          startLsn = lsn
        },
        onStop: (at) => {
          stopped = at
        },
      },
    )
    yield* copyFolder(onionFolder(dataFolder), 'onion')
  }
  const file = recipient === undefined ? 'data.tar.gz' : 'data.tar.gz.age'
  // Most of the bytes are ciphertext.
  const zipped = createGzip({ level: 1 })
  const tar = Readable.from(writeArchive(entries()), { objectMode: false })
  tar.on('error', (error) => zipped.destroy(error))
  const measured = await writeMeasured(path.join(unfinished, file), await seal(tar.pipe(zipped), recipient))
  if (!stopped) throw new Error('The copy of the database did not come to its end')
  await dropSlot(client)
  return { file, ...measured, startLsn, stopped }
}

interface Parts {
  options: Options
  source: Source
  startedAt: Date
  archive: Archive
  objects: Copied & { file: string }
}

function manifestOf({ options, source, startedAt, archive, objects }: Parts): Manifest {
  const { file, sizeBytes, sha256, startLsn, stopped } = archive
  return {
    format: 1,
    version: options.version,
    postgres: { version: source.version, systemIdentifier: source.systemIdentifier },
    migrations: { count: source.migrations, newest: source.newestMigration },
    startedAt: startedAt.toISOString(),
    copiedAt: stopped.at.toISOString(),
    startLsn,
    stopLsn: stopped.lsn,
    isServerStopped: options.isServerStopped,
    recipient: options.recipient ?? null,
    archive: { file, sizeBytes, sha256 },
    objects: {
      ...{ file: objects.file, sizeBytes: objects.sizeBytes, sha256: objects.sha256 },
      ...{ count: objects.count, totalBytes: objects.totalBytes, folder: folderOfKey(options.recipient) },
    },
    lacking: objects.lacking,
  }
}

function linesOf(name: string, { archive, objects, copiedAt, lacking }: Manifest, copied: Copied): string[] {
  const lines = [
    `The backup ${name} is whole: everything that was acknowledged before ${copiedAt} is in it`,
    `Database and keys: ${archive.sizeBytes} bytes. Files: ${objects.count} with ${objects.totalBytes} bytes, new ones ${copied.newCount} with ${copied.newBytes}`,
  ]
  if (lacking.length > 0)
    lines.push(`The server itself lacks files that its rows name, or has other bytes than these say: ${lacking.join(', ')}`)
  return lines
}
