import type { Env } from '../../env.ts'
import { lookOf } from './fileWords.ts'
import type { Held } from './openedFiles.ts'
import { sharedPage } from './sharedPage.ts'

/** Oldest first. */
export interface Pictures {
  pictures: (Held & { seq: number | null })[]
  /** The next seq to read; undefined if this browser has no more messages. */
  before: number | undefined
  after: number | undefined
}

/** Reads messages until a picture is found. */
export async function withOlderPictures(env: Env, chatRoomId: string, before: number, signal: AbortSignal) {
  const found = await nextPictures(env, chatRoomId, { before }, signal)
  return ({ pictures, after }: Pictures): Pictures => ({ pictures: [...found.pictures, ...pictures], before: found.next, after })
}

export async function withNewerPictures(env: Env, chatRoomId: string, after: number, signal: AbortSignal) {
  const found = await nextPictures(env, chatRoomId, { after }, signal)
  return ({ pictures, before }: Pictures): Pictures => ({ pictures: [...pictures, ...found.pictures], before, after: found.next })
}

async function nextPictures(env: Env, chatRoomId: string, from: { before: number } | { after: number }, signal: AbortSignal) {
  for (let place = from; ; ) {
    const page = await sharedPage(env, chatRoomId, place)
    signal.throwIfAborted()
    const pictures = page.files.filter(({ file, transfer }) => lookOf(file) === 'picture' && !transfer).reverse()
    const next = page.isLast ? undefined : 'before' in from ? page.oldest : page.newest
    if (pictures.length > 0 || next === undefined) return { pictures, next }
    place = 'before' in from ? { before: next } : { after: next }
  }
}
