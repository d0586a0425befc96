import { readFileSync } from 'node:fs'
import path from 'node:path'
import { codeWords } from '../client/net/codewords.ts'
import { readBuild } from '../contract/site/build.ts'
import { compare } from './compare.ts'
import type { WebcatManifest } from './manifest.ts'
import { askAt, probe } from './probe.ts'

// `npm run verify -- https://chat.example.org`: is what that server hands out the client that these sources make?
const root = path.resolve(import.meta.dirname, '..')
const [address, key] = process.argv.slice(2)
if (address === undefined || !URL.canParse(address)) {
  console.error('npm run verify -- <address of a server, such as https://chat.example.org> [the operator’s public key]')
  process.exit(2)
}
const json = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'))
const local = readBuild(json('dist/client/build.json'))
if (!local) throw new Error('There is no build of the client in dist/')

try {
  const ask = askAt(new URL(address).origin)
  const { build, signedBy, faults } = await compare(ask, local)
  if (key !== undefined && signedBy !== key) faults.push(`It is not signed by ${key}`)
  // Rules of another build's files would be the same faults once more.
  const rules = faults.length === 0 ? await probe(ask, json('dist/webcat/manifest.json') as WebcatManifest) : []
  console.log(`These sources: version ${local.version}, build ${local.id}\n  ${codeWords(local.id)}`)
  if (build && build.id !== local.id)
    console.log(`The server:    version ${build.version}, build ${build.id}\n  ${codeWords(build.id)}`)
  console.log(signedBy === null ? 'Not signed by an operator' : `Signed by ${signedBy}\n  ${codeWords(signedBy)}`)
  for (const fault of faults) console.log(`DIFFERENT  ${fault}`)
  for (const fault of rules) console.log(`RULE       ${fault}`)
  const isSame = faults.length === 0 && rules.length === 0
  console.log(
    isSame
      ? `The same: all ${Object.keys(local.files).length + 1} files, to this computer, now. docs/verify.md says what that leaves open.`
      : 'NOT the same.',
  )
  process.exitCode = isSame ? 0 : 1
} catch (error) {
  console.error(`${address} could not be asked: ${error instanceof Error ? (error.cause ?? error) : error}`)
  process.exitCode = 2
}
