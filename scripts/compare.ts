import { inLanes } from '../client/net/inTurn.ts'
import { BUILD_ADDRESS, RELEASE_ADDRESS, SERVICE_WORKER_ADDRESS } from '../contract/site/addresses.ts'
import { type Build, contentOf, readBuild, readRelease } from '../contract/site/build.ts'
import { sha256 } from './manifest.ts'
import type { Ask } from './probe.ts'
import { holds } from './signing.ts'

const AT_ONCE = 8
/** A server keeps some files compressed beside the plain ones: each kind of browser gets bytes of its own. */
const ENCODINGS = ['identity', 'gzip', 'br']

export interface Comparison {
  /** The build that the server names; undefined if it names none. */
  build: Build | undefined
  /** The key whose signature of that build holds; null without one. */
  signedBy: string | null
  /** Each file that is not the one of the local build, and each thing that does not fit, in words. Empty: all is the same. */
  faults: string[]
}

/** Fetches every file of a server's client, in each encoding that it serves, and compares it with the local build. */
export async function compare(ask: Ask, local: Build): Promise<Comparison> {
  const build = readBuild(await jsonOf(ask, BUILD_ADDRESS))
  const faults: string[] = []
  if (!build) faults.push(`${BUILD_ADDRESS}: it names no build`)
  else faults.push(...listFaults(build, local))
  const files = Object.entries({ ...local.files, [SERVICE_WORKER_ADDRESS]: local.worker })
  await inLanes(AT_ONCE, files, async ([address, wanted]) => {
    const found = new Set<string>()
    for (const encoding of ENCODINGS) {
      const answer = await ask(encodeURI(address), { headers: { 'accept-encoding': encoding } }).catch(unreadable)
      if (answer === undefined) found.add(`${address}: it cannot be read (${encoding})`)
      else if (answer.status !== 200) found.add(`${address}: it is missing (${answer.status})`)
      else if (sha256(answer.bytes) !== wanted) found.add(`${address}: it is another file (${encoding})`)
    }
    faults.push(...found)
  })
  const { signedBy, fault } = await signatureOf(ask, build)
  return { build, signedBy, faults: [...faults, ...(fault ? [fault] : [])].sort() }
}

/** Bytes that cannot be decompressed are a fault of the file. A server that cannot be reached is none. */
function unreadable(error: unknown): undefined {
  if (error instanceof Error && error.message === 'fetch failed') throw error
}

function listFaults(build: Build, local: Build): string[] {
  if (sha256(contentOf(build)) !== build.id) return [`${BUILD_ADDRESS}: its id is not that of its files`]
  if (build.id === local.id) return []
  const more = Object.keys(build.files).filter((address) => local.files[address] === undefined)
  return [
    `${BUILD_ADDRESS}: it names build ${build.id} (version ${build.version}), these sources make ${local.id} (version ${local.version})`,
    ...more.map((address) => `${address}: these sources make no such file`),
  ]
}

async function signatureOf(ask: Ask, build: Build | undefined): Promise<{ signedBy: string | null; fault?: string }> {
  const told = await jsonOf(ask, RELEASE_ADDRESS)
  if (told === undefined) return { signedBy: null }
  const release = readRelease(told)
  if (!release || !holds(release)) return { signedBy: null, fault: `${RELEASE_ADDRESS}: the signature does not hold` }
  if (release.build !== build?.id) return { signedBy: null, fault: `${RELEASE_ADDRESS}: it signs another build` }
  return { signedBy: release.key }
}

async function jsonOf(ask: Ask, address: string): Promise<unknown> {
  const { status, bytes } = await ask(address)
  if (status !== 200) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
