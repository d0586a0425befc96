import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { codeWords } from '../client/net/codewords.ts'
import { RELEASE_ADDRESS } from '../contract/site/addresses.ts'
import { type Build, readBuild } from '../contract/site/build.ts'
import { newSigner, readSigner } from './signing.ts'

// `npm run release`: the operator signs the client that these sources make. The key never needs to be on the server.
const root = path.resolve(import.meta.dirname, '..')
const USAGE = `npm run release -- <verb>
  new-key <file>          makes a key for signing, in a file that only you can read. Keep it away from the server, and keep a copy
  sign <file> [folder]    signs the client of these sources and writes conclave/release.json into the folder; release/ by default
  stamp <file> <to>       writes the manifest for WEBCAT with the timestamp of one that WEBCAT's own command has generated`

/** The command cannot be carried out; the message says why. */
class Unable extends Error {}

try {
  for (const line of run(process.argv.slice(2))) console.log(line)
} catch (error) {
  if (!(error instanceof Unable)) throw error
  console.error(error.message)
  process.exit(1)
}

function run([verb, file, to]: string[]): string[] {
  if (file === undefined) throw new Unable(USAGE)
  if (verb === 'new-key') return makeKey(file)
  if (verb === 'sign') return signBuild(file, to ?? path.join(root, 'release'))
  if (verb === 'stamp' && to !== undefined) return stampManifest(file, to)
  throw new Unable(USAGE)
}

function makeKey(file: string): string[] {
  const signer = newSigner()
  try {
    // Never over another key: whoever has seen that one would have to be asked about the new one.
    writeFileSync(file, signer.secret(), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new Unable(`${file} was not written: ${error instanceof Error ? error.message : error}`)
  }
  return [`The secret key is in ${file}.`, ...keyLines(signer.key)]
}

function signBuild(file: string, folder: string): string[] {
  const signer = readKey(file)
  const build = ownBuild()
  const release = signer.sign(build.id)
  const to = path.join(folder, RELEASE_ADDRESS.replace('/.well-known/', ''))
  mkdirSync(path.dirname(to), { recursive: true })
  writeFileSync(to, `${JSON.stringify(release)}\n`)
  return [
    `Signed version ${build.version}, build ${build.id}`,
    `  ${codeWords(build.id)}`,
    ...keyLines(signer.key),
    `The signature is in ${to}. The server answers it from RELEASE_FOLDER, which is release/ by default, once it runs these sources.`,
  ]
}

/** WEBCAT's command lists files by their names on disk; this build knows under which addresses the server shows them. */
function stampManifest(file: string, to: string): string[] {
  const { timestamp }: { timestamp?: unknown } = JSON.parse(readFileSync(file, 'utf8'))
  if (typeof timestamp !== 'string') throw new Unable(`${file} has no timestamp`)
  const manifest: object = JSON.parse(readFileSync(path.join(root, 'dist/webcat/manifest.json'), 'utf8'))
  writeFileSync(to, `${JSON.stringify({ ...manifest, timestamp }, null, 2)}\n`)
  return [`The manifest with its timestamp is in ${to}. Sign it with WEBCAT's command.`]
}

function readKey(file: string) {
  try {
    return readSigner(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Unable(`${file} holds no key: ${error instanceof Error ? error.message : error}`)
  }
}

function ownBuild(): Build {
  const build = readBuild(JSON.parse(readFileSync(path.join(root, 'dist/client/build.json'), 'utf8')))
  if (!build) throw new Unable('There is no build of the client in dist/')
  return build
}

function keyLines(key: string): string[] {
  return [`The public key: ${key}`, `  ${codeWords(key)}`]
}
