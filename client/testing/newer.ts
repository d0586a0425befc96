import { vi } from 'vitest'
import { z } from 'zod'
import { type Act, type Content, type MessageAct, readContent, readSaid, readStatement } from '../../contract/chat/content.ts'
import { parseEnvelope, writeEnvelope } from '../../contract/chat/envelope.ts'
import { everyEndpoint } from '../../contract/every.ts'
import type { Api, ApiError } from '../net/api.ts'

/** The kind of content that only the newer build knows. */
export const pollShape = z.object({ type: z.literal('poll'), to: z.uuid(), emoji: z.string() })

/** The newer build's modules and settings. */
export interface NewerBuild {
  people: typeof import('./people.ts')
  createCore: typeof import('../worker/core.ts').createCore
  /** The version of the envelopes that the newer build writes. This build does not know version 2. */
  envelope: 1 | 2
  /** Wraps this build's API for the newer build, with this build's endpoints and the newer build's error classes. */
  over: (api: Api) => Api
}

/**
 * Loads the whole client again as a build of next year, which knows one more kind of content and one more version of envelopes
 * and documents. Both builds share the browser's disk, like two tabs loaded at different times.
 */
export async function newerBuild(): Promise<NewerBuild> {
  vi.resetModules()
  const build = { envelope: 1 } as NewerBuild
  vi.doMock('../../contract/chat/content.ts', async (original) => ({
    ...(await original<object>()),
    readContent: (kept: unknown) => readContent(kept) ?? pollShape.safeParse(kept).data,
    readSaid: (kept: unknown) => readSaid(kept) ?? pollShape.safeParse(kept).data,
    readStatement: (written: unknown) => {
      const read = readStatement(written)
      const content = read?.statement.content ?? pollShape.safeParse((written as { content?: unknown }).content).data
      return read && content && { statement: { ...read.statement, content }, isWhole: true }
    },
  }))
  vi.doMock('../../contract/chat/kinds/kinds.ts', async (original) => {
    const ours = await original<typeof import('../../contract/chat/kinds/kinds.ts')>()
    const emojiIn = (content: unknown) => pollShape.safeParse(content).data?.emoji
    return {
      contentWords: (content: Content | Act) => emojiIn(content) ?? ours.contentWords(content),
      searchedIn: (content: Content) => emojiIn(content) ?? ours.searchedIn(content),
      fileIn: (content: Content | Act | null | undefined) => (emojiIn(content) === undefined ? ours.fileIn(content) : undefined),
      callIn: (content: Content) => (emojiIn(content) === undefined ? ours.callIn(content) : undefined),
      quoteIn: (content: Content | Act | null | undefined) =>
        emojiIn(content) === undefined ? ours.quoteIn(content) : undefined,
      quotedWords: (content: Content) => emojiIn(content) ?? ours.quotedWords(content),
      ownWords: (content: Content) => (emojiIn(content) === undefined ? ours.ownWords(content) : ''),
      withOwnWords: (content: Content, text: string) =>
        emojiIn(content) === undefined ? ours.withOwnWords(content, text) : undefined,
      isAct: (content: Content | Act): content is Act => emojiIn(content) === undefined && ours.isAct(content),
      isMessageAct: (content: Content | Act): content is MessageAct =>
        emojiIn(content) === undefined && ours.isMessageAct(content),
      isCounted: (content: Content | Act) => emojiIn(content) !== undefined || ours.isCounted(content),
      isForwarded: (content: Content | Act) => emojiIn(content) === undefined && ours.isForwarded(content),
      isTyped: (content: Content | Act) => emojiIn(content) === undefined && ours.isTyped(content),
    } satisfies typeof ours
  })
  vi.doMock('../../contract/chat/envelope.ts', async (original) => ({
    ...(await original<object>()),
    isKnownVersion: (version: number) => version <= 2,
    parseEnvelope: (content: string) => parseEnvelope(content.replace(/^{"v":2,/, '{"v":1,')),
    writeEnvelope: (envelope: Parameters<typeof writeEnvelope>[0]) =>
      writeEnvelope(envelope).replace(/^{"v":1,/, `{"v":${build.envelope},`),
  }))
  vi.doMock('../worker/keys/document.ts', async (original) => {
    const ours = await original<typeof import('../worker/keys/document.ts')>()
    const parseBounded: typeof ours.parseBounded = (content, label, shape) =>
      content.includes('"v":2')
        ? { value: shape.parse(JSON.parse(content)), hasDropped: false }
        : ours.parseBounded(content, label, shape)
    const parseDocument: typeof ours.parseDocument = (...given) => parseBounded(...given).value
    return { ...ours, parseBounded, parseDocument }
  })
  const [people, { createCore }, { ApiError: Theirs }] = await Promise.all([
    import('./people.ts'),
    import('../worker/core.ts'),
    import('../net/api.ts'),
  ])
  // A part that was loaded later would be this build's.
  await (await import('../worker/lazyParts.ts')).merging()
  vi.doUnmock('../../contract/chat/content.ts')
  vi.doUnmock('../../contract/chat/kinds/kinds.ts')
  vi.doUnmock('../../contract/chat/envelope.ts')
  vi.doUnmock('../worker/keys/document.ts')
  vi.resetModules()
  const ours = new Map(everyEndpoint.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]))
  const over = (api: Api): Api =>
    (async (endpoint, input) => {
      try {
        return await api((ours.get(`${endpoint.method} ${endpoint.path}`) ?? endpoint) as typeof endpoint, input)
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'ApiError') throw error
        const { status, code, message, details } = error as ApiError
        throw new Theirs(status, code, message, { details })
      }
    }) as Api
  return Object.assign(build, { people, createCore, over })
}
