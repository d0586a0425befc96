import { fromBase64Url, toBase64Url, utf8 } from '../../contract/ground/bytes.ts'
import { BUILD_ADDRESS, RELEASE_ADDRESS } from '../../contract/site/addresses.ts'
import { type Build, contentOf, readBuild, readRelease, releaseText } from '../../contract/site/build.ts'

export interface Offer extends Build {
  signedBy: string | null
}

type Fetch = (address: string, init?: RequestInit) => Promise<Response>

/** Returns undefined without a server or a build. */
export async function askOffered(fetch: Fetch): Promise<Offer | undefined> {
  try {
    const [told, signed] = await Promise.all([BUILD_ADDRESS, RELEASE_ADDRESS].map((each) => fetch(each, { cache: 'no-store' })))
    // A failing server says nothing about a signature.
    if (!told?.ok || !signed || signed.status >= 500) return undefined
    const build = readBuild(await told.json())
    if (!build || (await hashOf(utf8(contentOf(build)))) !== build.id) return undefined
    return { ...build, signedBy: signed.ok ? await signerOf(build, await signed.json().catch(() => undefined)) : null }
  } catch {
    return undefined
  }
}

/** Returns null without a valid signature of this build. */
async function signerOf({ id }: Build, told: unknown): Promise<string | null> {
  const release = readRelease(told)
  if (!release) return null
  try {
    const key = await crypto.subtle.importKey('raw', fromBase64Url(release.key), 'Ed25519', false, ['verify'])
    const holds = await crypto.subtle.verify('Ed25519', key, fromBase64Url(release.signature), utf8(releaseText(id)))
    return holds ? release.key : null
  } catch {
    return null
  }
}

/** SHA-256 as base64url. */
export const hashOf = async (bytes: BufferSource): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
