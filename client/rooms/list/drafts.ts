import { createStore } from 'zustand/vanilla'
import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import { roomById } from './roomList.ts'
import { untilKept } from './unkeptDrafts.ts'

/** The unsent text of each room that has one, by room id: the rows of the list show it. */
export const draftsStore = createStore<{ drafts: ReadonlyMap<string, string> }>(() => ({ drafts: new Map() }))

/** Reads the drafts that this browser keeps. */
export async function loadDrafts(env: Env): Promise<void> {
  const kept = await env.crypto.drafts()
  draftsStore.setState({ drafts: new Map(kept.map(({ chatRoomId, text }) => [chatRoomId, text])) })
}

export const readDraft = (env: Env, chatRoomId: string): Promise<string> => env.crypto.readDraft(chatRoomId)

/** Stores the unsent text of a room, and shows it in its row. */
export async function keepDraft(env: Env, chatRoomId: string, text: string): Promise<void> {
  // Given to the worker at once, which keeps their order: a page that is closing has no later.
  const kept = untilKept(env.crypto.keepDraftText({ chatRoomId, text }))
  await Promise.all([kept, inTurn(env, draftTurn(chatRoomId), () => kept)])
  const drafts = new Map(draftsStore.getState().drafts)
  if (text.trim() === '') drafts.delete(chatRoomId)
  // A row of a locked chat shows nothing of it.
  else if (roomById(chatRoomId)?.lock !== 'shut') drafts.set(chatRoomId, text)
  draftsStore.setState({ drafts })
}

const draftTurn = (chatRoomId: string) => `draft ${chatRoomId}`

/** Resolves when what the composer has handed over is stored. */
export const draftKept = (env: Env, chatRoomId: string): Promise<void> =>
  inTurn(env, draftTurn(chatRoomId), async () => undefined)

/** Takes the unsent text of a room out of its row: it was sent, or the room is locked and the vault alone has it. */
export function forgetDraft(chatRoomId: string): void {
  const drafts = new Map(draftsStore.getState().drafts)
  if (drafts.delete(chatRoomId)) draftsStore.setState({ drafts })
}

export const resetDrafts = (): void => draftsStore.setState({ drafts: new Map() })
