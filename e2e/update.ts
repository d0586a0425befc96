import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { RELEASE_ADDRESS } from '../contract/site/addresses.ts'
import { type Build, contentOf } from '../contract/site/build.ts'
import { PAGES } from '../contract/site/pages.ts'
import type { Signer } from '../scripts/signing.ts'
import type { Lie } from './proxy.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** What is other in a build than in the true one. */
export interface Update {
  /** The version that it says; that of the true build if absent. */
  version?: string
  /** Who signs it; nobody if absent. */
  signer?: Signer
  /** The mark in its page, which tells it from others. */
  mark?: string
  /** True if its page has another byte than the build names. */
  isBroken?: boolean
}

/** The server has another build, whose page says so. */
export async function updated(url: string, { version, signer, mark = 'second', isBroken = false }: Update = {}): Promise<Lie> {
  const page = (html: string) => html.replace('</head>', `<meta name="build" content="${mark}" /></head>`)
  const { id: _, ...content }: Build = await (await fetch(`${url}/build.json`)).json()
  const files = { ...content.files }
  for (const [address, file] of Object.entries(PAGES))
    if (file !== null) files[address] = sha256(page(await (await fetch(url + address)).text()))
  const next = { ...content, ...(version !== undefined && { version }), files }
  const build: Build = { id: sha256(contentOf(next)), ...next }
  return {
    page: isBroken ? (text) => page(text).replace('</head>', ' </head>') : page,
    answer: (call) => {
      if (call === 'GET /build.json') return { status: 200, body: build }
      if (call === `GET ${RELEASE_ADDRESS}`)
        return signer ? { status: 200, body: signer.sign(build.id) } : { status: 404, body: {} }
      return undefined
    },
  }
}

/** The mark in the page's HTML; undefined in that of the true build. */
export const markOf = async (page: Page): Promise<string | undefined> =>
  (await page.locator('meta[name=build]').count()) === 0
    ? undefined
    : ((await page.locator('meta[name=build]').getAttribute('content')) ?? undefined)
