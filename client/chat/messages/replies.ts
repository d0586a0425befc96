import { createStore } from 'zustand/vanilla'
import type { Quote } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import { CryptoFailure } from '../../worker/crypto.ts'

/** What the next message answers, by room id; null: nothing. */
export const repliesStore = createStore<{ replies: ReadonlyMap<string, Quote | null> }>(() => ({ replies: new Map() }))

export const replyIn = (chatRoomId: string): Quote | null => repliesStore.getState().replies.get(chatRoomId) ?? null

/** Shows what this browser keeps, unless the person has chosen here. */
export async function loadReply(env: Env, chatRoomId: string): Promise<void> {
  const kept = await env.crypto.readReply(chatRoomId).catch(() => null)
  if (kept && !repliesStore.getState().replies.has(chatRoomId)) showReply(chatRoomId, kept)
}

export function showReply(chatRoomId: string, quote: Quote | null): void {
  repliesStore.setState(({ replies }) => ({ replies: new Map(replies).set(chatRoomId, quote) }))
}

export async function chooseReply(env: Env, chatRoomId: string, quote: Quote | null): Promise<void> {
  showReply(chatRoomId, quote)
  await env.crypto.keepReply({ chatRoomId, quote }).catch((error: unknown) => {
    // A full disk leaves it in this page alone.
    if (!(error instanceof CryptoFailure)) throw error
  })
}

/** The next account must not see them. */
export const resetReplies = (): void => repliesStore.setState({ replies: new Map() })
