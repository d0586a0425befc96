import semver from 'semver'
import type { TrackedFile } from './tracked.ts'

type Ranges = Record<string, string>

interface Wishes {
  dependencies?: Ranges
  devDependencies?: Ranges
  optionalDependencies?: Ranges
}

interface Locked extends Wishes {
  version?: string
  engines?: { node?: string }
}

interface Manifest extends Wishes {
  engines: { node: string }
}

const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const

/**
 * Finds what package-lock.json lacks. `npm ci` refuses a lock without the packages of other systems and processors, which an `npm
 * install` beside a full node_modules leaves out, and one that package.json has outgrown.
 */
export function findLockGaps(files: TrackedFile[]): string[] {
  const wished: Wishes | undefined = readJson(files, 'package.json')
  if (!wished) return []
  const packages = packagesOf(files)
  if (!packages) return ['package-lock.json: is not there, so that `npm ci` installs nothing']
  const missing = Object.entries(packages).flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !placeOf(name, place, packages))
      .map((name) => `package-lock.json: ${name} has no entry, and ${place || 'package.json'} names it. ${REMEDY}`),
  )
  return [...missing, ...findOutgrown(wished, packages)]
}

const REMEDY = 'Remove the lock and node_modules, and run `npm install --package-lock-only`'

function findOutgrown(wished: Wishes, packages: Record<string, Locked>): string[] {
  return KINDS.flatMap((kind) => {
    const [now, then]: Ranges[] = [wished[kind] ?? {}, packages['']?.[kind] ?? {}]
    return Object.keys({ ...then, ...now }).flatMap((name) => {
      const [range, version] = [now?.[name], packages[`node_modules/${name}`]?.version]
      if (range !== then?.[name]) return [`package-lock.json: was made for ${name} ${then?.[name]}; package.json has ${range}`]
      if (range === undefined || version === undefined || semver.satisfies(version, range)) return []
      return [`package-lock.json: has ${name} ${version}; package.json asks for ${range}`]
    })
  })
}

/** Finds packages that refuse the oldest Node of package.json, which npm installs all the same. */
export function findRefusedNode(files: TrackedFile[]): string[] {
  const manifest: Manifest | undefined = readJson(files, 'package.json')
  const oldest = manifest && semver.minVersion(manifest.engines.node)
  return Object.entries(packagesOf(files) ?? {}).flatMap(([place, { version, engines }]) =>
    !oldest || engines?.node === undefined || semver.satisfies(oldest, engines.node)
      ? []
      : [`package-lock.json: ${place} ${version} wants Node ${engines.node}, and package.json promises ${oldest}`],
  )
}

/** Where Node finds a package that the one at `place` imports: below it, or below one of the folders that it lies in. */
function placeOf(name: string, place: string, packages: Record<string, Locked>): string | undefined {
  for (let above = place; ; above = above.slice(0, Math.max(0, above.lastIndexOf('node_modules/') - 1))) {
    const found = `${above && `${above}/`}node_modules/${name}`
    if (packages[found]) return found
    if (above === '') return undefined
  }
}

const packagesOf = (files: TrackedFile[]): Record<string, Locked> | undefined =>
  readJson<{ packages: Record<string, Locked> }>(files, 'package-lock.json')?.packages

function readJson<Shape>(files: TrackedFile[], name: string): Shape | undefined {
  const text = files.find(({ path }) => path === name)?.text
  return text === undefined ? undefined : JSON.parse(text)
}
