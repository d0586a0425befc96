import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { type Message, messagesApi } from '../../../contract/chat/messages.ts'
import { mountDisk } from '../../../faults/diskfull.ts'
import { openFolder } from '../../chat/files/folder.ts'
import { newBrowser } from '../../testing/browser.ts'
import { newPerson, type Person } from '../../testing/person.ts'
import { bundle, ended, runs, start, stopAll } from '../../testing/program.ts'
import { fileOf, reads, removesFile, sealedBytes, uploadsFile } from '../../testing/sealed.ts'
import { runningUrl } from '../db/embedded.ts'
import { checkBackups } from './checkBackup.ts'
import { dropOlder } from './dropBackups.ts'
import { listBackups, objectFile } from './manifest.ts'
import { restoreBackup } from './restoreBackup.ts'
import { newKeys } from './sealing.ts'
import { takeBackup } from './takeBackup.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const place = await mkdtemp(path.join(tmpdir(), 'conclave-backup-'))
// If root runs this test, another account runs PostgreSQL and must pass through this folder.
chmodSync(place, 0o711)
const [dataFolder, folder] = [path.join(place, 'data'), path.join(place, 'backups')]
const keys = await newKeys()
const settings = { CONCLAVE_DATA: dataFolder, DATABASE_URL: '', RATE_LIMITS: 'off', LOG_LEVEL: 'warn' }

const backsUp = (words: string[] = [folder], more: Record<string, string> = {}, onStart?: Parameters<typeof runs>[3]) =>
  runs('backup-command', words, { ...settings, BACKUP_RECIPIENT: keys.recipient, ...more }, onStart)

/** Backs up in this process, which is sooner. */
const takes = async (into: string) =>
  takeBackup({
    ...{ dataFolder, folder: into, recipient: keys.recipient, isServerStopped: false, version: '0.1.0', kept: undefined },
    url: (await runningUrl(dataFolder, 'conclave')) ?? '',
    objects: await openFolder(path.join(dataFolder, 'objects')),
  })

let url = ''
let alice: Person
let bob: Person
let room = ''

/** Asks the database of the server that runs. */
async function asks<T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: await runningUrl(dataFolder, 'conclave') })
  await client.connect()
  return (await client.query<T>(text, values).finally(() => client.end())).rows
}

/** Restores in this process, which is sooner. */
const restores = (into: string, more: Partial<Parameters<typeof restoreBackup>[0]> = {}) =>
  restoreBackup({
    ...{ root, dataFolder: into, folder, at: undefined, keys, isNothingSince: false },
    brings: { version: '0.1.0', postgres: '18.4', newestMigration: Number.MAX_SAFE_INTEGER },
    openObjects: (data) => openFolder(path.join(data, 'objects')),
    say: () => undefined,
    ...more,
  })

const newest = async () => {
  const backup = (await listBackups(folder)).at(-1)
  if (!backup) throw new Error('There is no backup')
  return backup
}

/** Changes the newest backup until the test has ended. */
async function changes(name: string, change: (file: string) => void): Promise<void> {
  const file = path.join((await newest()).folder, name)
  const before = readFileSync(file)
  onTestFinished(() => writeFileSync(file, before))
  change(file)
}

beforeAll(async () => {
  await Promise.all([
    bundle('backup-server'),
    bundle('backup-command', 'scripts/backup.ts'),
    bundle('restore-command', 'scripts/restore.ts'),
  ])
  const { output } = await start('backup-server', settings)
  url = /http\S+/.exec(output)?.[0] ?? ''
  alice = await newPerson(url, 'alice', url)
  bob = await newPerson(url, 'bob', url)
  await asks("update users set subscription_tier = 'premium'")
  room = await alice.talksTo(bob)
}, 60_000)

afterAll(() => stopAll().then(() => rmSync(place, { recursive: true, force: true })))

test('a backup taken under load is restored elsewhere: people sign in, all that was acknowledged before is there, and files are the same bytes', async () => {
  const body = sealedBytes()
  const file = await uploadsFile(alice, body)
  await alice.says(room, 'with a file', fileOf(file, body.length))
  const [acknowledged, isOver] = [[] as string[], { yes: false }]
  const talks = (async () => {
    while (!isOver.yes) acknowledged.push((await alice.says(room, `a word that nobody else reads ${acknowledged.length}`)).id)
  })()
  await expect.poll(() => acknowledged.length).toBeGreaterThan(5)
  const before = [...acknowledged]
  const { exit, output } = await backsUp()
  isOver.yes = true
  await talks
  expect(output).toMatch(/^The backup \S+ is whole: everything that was acknowledged before \S+ is in it\n/)
  expect([exit, acknowledged.length > before.length]).toEqual([0, true])
  const lost = await alice.says(room, 'after the backup')

  // The folder shows neither words nor bytes.
  for (const name of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())) {
    const bytes = readFileSync(path.join(name.parentPath, name.name))
    expect(bytes.includes('nobody else reads') || bytes.includes(body.subarray(0, 64))).toBe(false)
  }

  const into = path.join(place, 'elsewhere')
  const identity = path.join(place, 'identity')
  writeFileSync(identity, `# kept elsewhere\n${keys.identity}\n`)
  const restored = await runs('restore-command', [folder, `--identity=${identity}`], { ...settings, CONCLAVE_DATA: into })
  expect(restored.output).toMatch(/is restored into .*: start the server\nWhat came after \S+ is lost: messages, /)
  expect(restored.exit).toBe(0)
  const server = await start('backup-server', { ...settings, CONCLAVE_DATA: into })
  const there = /http\S+/.exec(server.output)?.[0] ?? ''
  const signsIn = async ({ username, authSecret, deviceId }: Person) => {
    const browser = newBrowser(there, there)
    await browser.does(accountApi.login, { username, password: authSecret, kdf: 1, deviceId })
    await browser.proves(deviceId)
    return browser
  }
  const [again, other] = [await signsIn(alice), await signsIn(bob)]
  const messages: Message[] = []
  for (let page: Message[] | undefined; page?.length !== 0; messages.push(...page))
    page = await again.does(messagesApi.list, { chatRoomId: room, after: messages.length })
  const ids = messages.map(({ id }) => id)
  // Order is kept, nothing of before lacks, and nothing of after is there.
  expect(ids.slice(1, 1 + before.length)).toEqual(before)
  expect(ids.slice(1)).toEqual(acknowledged.slice(0, ids.length - 1))
  expect(ids).not.toContain(lost.id)
  expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, at) => at + 1))
  const found = await reads(there, other, file)
  expect([found.status, found.bytes.equals(body)]).toEqual([200, true])
  server.child.kill('SIGTERM')
  expect(await ended(server.child)).toBe(0)
}, 120_000)

test('the next backup copies new files alone, and --keep takes older ones away with the files that only they had', async () => {
  const ofKey = (await newest()).manifest.objects.folder
  const inode = (name: string) => statSync(objectFile(folder, ofKey, name)).ino
  const gone = path.basename(await uploadsFile(alice))
  expect((await backsUp()).output).toContain('Files: 2 with 41360 bytes, new ones 1 with 20680')
  const before = inode(gone)
  expect(await removesFile(alice, gone)).toMatchObject({ status: 200 })
  // As the job does.
  await asks('delete from objects where id = $1', [gone])
  await uploadsFile(alice)
  const { output } = await backsUp([folder, '--keep=2'])
  expect(output).toContain('Files: 2 with 41360 bytes, new ones 1 with 20680')
  expect(output).toContain('Removed 1 older backups, and 0 files that only they named')
  expect(inode(gone)).toBe(before)
  await dropOlder(folder, 1)
  expect((await listBackups(folder)).length).toBe(1)
  expect(existsSync(objectFile(folder, ofKey, gone))).toBe(false)
  await checkBackups(folder)
}, 120_000)

test('a backup is encrypted, or the operator says otherwise; a second one at once, another database and a folder in the data are refused by name', async () => {
  const refused = async (words: string[], more: Record<string, string>, text: RegExp) => {
    const { exit, output } = await backsUp(words, more)
    expect([exit, output]).toEqual([1, expect.stringMatching(text)])
  }
  await Promise.all([
    refused([folder], { BACKUP_RECIPIENT: '' }, /^Backups are encrypted: set BACKUP_RECIPIENT .* --plain/),
    refused([folder], { BACKUP_RECIPIENT: 'age1no' }, /^BACKUP_RECIPIENT must be a recipient/),
    refused([folder, '--plain'], {}, /^BACKUP_RECIPIENT is set, so --plain/),
    ...['b', '..b'].map((name) => refused([path.join(dataFolder, name)], {}, /^A backup in the data folder .* is lost with it/)),
    refused([folder], { DATABASE_URL: 'postgres://x@127.0.0.1:1/x' }, /^DATABASE_URL names a PostgreSQL of yours/),
    refused([folder], { CONCLAVE_DATA: path.join(place, 'nothing') }, /^There is no database in /),
  ])
  await changes('manifest.json', (file) =>
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"systemIdentifier": "\d/, '"systemIdentifier": "x')),
  )
  await expect(takes(folder)).rejects.toThrow('has backups of another database. Give each its own folder')
  const holder = new pg.Client({ connectionString: await runningUrl(dataFolder, 'conclave') })
  await holder.connect()
  await holder.query('select pg_advisory_lock(7302118)')
  await expect(takes(path.join(place, 'other'))).rejects.toThrow('Another backup of this database runs')
  await holder.end()
}, 120_000)

test('a backup that is killed leaves no slot and no backup, and the next one clears up', async () => {
  const count = (await listBackups(folder)).length
  const unfinished = () => readdirSync(path.join(folder, 'backups')).filter((name) => name.startsWith('unfinished-'))
  const { exit } = await backsUp([folder], {}, (child) => {
    const timer = setInterval(() => {
      if (unfinished().length === 0) return
      clearInterval(timer)
      child.kill('SIGKILL')
    }, 5)
  })
  expect([exit, unfinished().length, (await listBackups(folder)).length]).toEqual([null, 1, count])
  await expect.poll(() => asks('select from pg_replication_slots')).toEqual([])
  await takes(folder)
  expect([unfinished().length, (await listBackups(folder)).length]).toEqual([0, count + 1])
}, 120_000)

test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'a full disk ends a backup by name, and takes away what was begun',
  async () => {
    const disk = mountDisk(1)
    onTestFinished(() => {
      spawnSync('umount', [disk])
      rmSync(disk, { recursive: true, force: true })
    })
    const { exit, output } = await backsUp([disk])
    expect([exit, output]).toEqual([1, expect.stringMatching(/^No space is left in /)])
    expect(readdirSync(path.join(disk, 'backups'))).toEqual([])
  },
  60_000,
)

test('a changed byte, a cut file, a missing one, a wrong key, another version and a folder with data are refused by name, and nothing is made', async () => {
  const into = path.join(place, 'refused')
  const refused = async (more: Parameters<typeof restores>[1], text: RegExp | string) => {
    await expect(restores(into, more)).rejects.toThrow(text)
    expect(existsSync(into) ? readdirSync(into) : []).toEqual([])
  }
  const { name, manifest, folder: of } = await newest()
  await refused({ at: 'x' }, new RegExp(`has no backup x[.] It has .*${name}`))
  await refused({ folder: path.join(place, 'empty') }, 'There is no finished backup in')
  await refused({ keys: undefined }, `is encrypted to ${keys.recipient}: give its identity`)
  const others = await newKeys()
  await refused({ keys: others }, `and this identity is of ${others.recipient}: take the other one`)
  // Whoever calls another key this one still opens nothing.
  await refused({ keys: { identity: others.identity, recipient: keys.recipient } }, 'This identity does not open the backup')
  await refused(
    { brings: { version: '9.0.0', postgres: '19.1', newestMigration: 0 } },
    /is of PostgreSQL 18, and this Conclave brings 19[.] Restore it by Conclave 0[.]1[.]0, and move its rows/,
  )
  await refused(
    { brings: { version: '0.0.1', postgres: '18.1', newestMigration: 1 } },
    'which is newer than this one: install that first',
  )
  await refused({ isNothingSince: true }, 'was made while the server ran, so --nothing-since cannot be true')

  const archive = path.join(of, manifest.archive.file)
  const bytes = readFileSync(archive)
  const changed = Buffer.from(bytes)
  changed.writeUInt8(changed.readUInt8(4000) ^ 1, 4000)
  writeFileSync(archive, changed)
  await refused({}, /is damaged: \S+data[.]tar[.]gz[.]age has other bytes$/)
  // Whoever writes the manifest anew does not get past the encryption.
  const sha256 = createHash('sha256').update(changed).digest('hex')
  const manifestFile = path.join(of, 'manifest.json')
  const said = readFileSync(manifestFile, 'utf8')
  writeFileSync(manifestFile, said.replace(manifest.archive.sha256, sha256))
  await refused({}, /does not open|damaged/)
  writeFileSync(manifestFile, said.slice(0, 100))
  await refused({}, 'manifest.json cannot be read')
  writeFileSync(manifestFile, said)
  truncateSync(archive, bytes.length - 5)
  await refused({}, /has \d+ bytes instead of \d+$/)
  renameSync(archive, `${archive}.away`)
  await refused({}, /data[.]tar[.]gz[.]age is missing$/)
  rmSync(`${archive}.away`)
  writeFileSync(archive, bytes)

  const used = path.join(place, 'used')
  await openFolder(path.join(used, 'objects'))
  await expect(restores(used)).rejects.toThrow(`A backup is restored into an empty folder alone, and ${used} has objects`)
}, 60_000)

test('a restore that was cut short is no data: the server and the next restore say so', async () => {
  const into = path.join(place, 'cut')
  await openFolder(path.join(into, 'unfinished-restore'))
  const { exit, output } = await start('backup-server', { ...settings, CONCLAVE_DATA: into })
  expect([exit, output]).toEqual([
    1,
    expect.stringMatching(/^CONCLAVE_DATA must be a folder without a restore that was cut short/),
  ])
  await expect(restores(into)).rejects.toThrow('was cut short, or still runs')
  expect(readdirSync(into)).toEqual(['unfinished-restore'])
}, 60_000)
