import { createStore } from 'zustand/vanilla'
import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import { isShut } from './roomList.ts'
import { untilKept } from './unkeptDrafts.ts'

export const draftsStore = createStore<{ drafts: ReadonlyMap<string, string> }>(() => ({ drafts: new Map() }))

export async function loadDrafts(env: Env): Promise<void> {
  const kept = await env.crypto.drafts()
  draftsStore.setState({ drafts: new Map(kept.map(({ chatRoomId, text }) => [chatRoomId, text])) })
}

export const readDraft = (env: Env, chatRoomId: string): Promise<string> => env.crypto.readDraft(chatRoomId)

export async function keepDraft(env: Env, chatRoomId: string, text: string): Promise<void> {
  // The worker gets the text at once and keeps the order: a closing page has no later moment.
  const kept = untilKept(env.crypto.keepDraftText({ chatRoomId, text }))
  await Promise.all([kept, inTurn(env, draftTurn(chatRoomId), () => kept)])
  const drafts = new Map(draftsStore.getState().drafts)
  if (text.trim() === '') drafts.delete(chatRoomId)
  else if (!isShut({ id: chatRoomId })) drafts.set(chatRoomId, text)
  draftsStore.setState({ drafts })
}

const draftTurn = (chatRoomId: string) => `draft ${chatRoomId}`

export const draftKept = (env: Env, chatRoomId: string): Promise<void> =>
  inTurn(env, draftTurn(chatRoomId), async () => undefined)

export function forgetDraft(chatRoomId: string): void {
  const drafts = new Map(draftsStore.getState().drafts)
  if (drafts.delete(chatRoomId)) draftsStore.setState({ drafts })
}

export const resetDrafts = (): void => draftsStore.setState({ drafts: new Map() })
