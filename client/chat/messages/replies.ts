import { createStore } from 'zustand/vanilla'
import type { Quote } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import type { Options } from '../files/sendFile.ts'

interface Reply {
  chatRoomId: string
  /** null: the next message replies to nothing. */
  quote: Quote | null
}

type Carried = Pick<Options, 'quote' | 'onKept'>

/** The reply of the chat whose field is open. */
export const replyStore = createStore<{ open: Reply | null }>(() => ({ open: null }))

export function replyIn(chatRoomId: string): Quote | null {
  const { open } = replyStore.getState()
  return open?.chatRoomId === chatRoomId ? open.quote : null
}

/** Shows what this browser keeps, unless the person has chosen meanwhile. Returns how to close. */
export function openReply(env: Env, chatRoomId: string): () => void {
  const opened: Reply = { chatRoomId, quote: null }
  replyStore.setState({ open: opened })
  const isUntouched = () => replyStore.getState().open === opened
  // An unreadable row must not block the field.
  void readReply(env, chatRoomId).then((quote) => isUntouched() && showReply(chatRoomId, quote))
  return () => {
    if (replyStore.getState().open?.chatRoomId === chatRoomId) replyStore.setState({ open: null })
  }
}

const readReply = async (env: Env, chatRoomId: string) => env.crypto.readReply(chatRoomId).catch(() => null)

export function showReply(chatRoomId: string, quote: Quote | null): void {
  if (replyStore.getState().open?.chatRoomId === chatRoomId) replyStore.setState({ open: { chatRoomId, quote } })
}

export async function chooseReply(env: Env, chatRoomId: string, quote: Quote | null): Promise<void> {
  showReply(chatRoomId, quote)
  await env.crypto.keepReply({ chatRoomId, quote }).catch((error: unknown) => {
    // A full disk leaves it in this page alone.
    if (!(error instanceof CryptoFailure)) throw error
  })
}

/** Sends a file, or several, as a reply if one is chosen. It comes back if this browser does not keep the first. */
export async function withReply(env: Env, chatRoomId: string, send: (more: Carried) => Promise<unknown>): Promise<void> {
  const quote = replyIn(chatRoomId)
  if (!quote) return void (await send({}))
  let isKept = false
  showReply(chatRoomId, null)
  const onKept = () => {
    isKept = true
    // Another may have been chosen meanwhile.
    if (!replyIn(chatRoomId)) void chooseReply(env, chatRoomId, null)
  }
  await send({ quote, onKept })
  if (!isKept && !replyIn(chatRoomId)) showReply(chatRoomId, quote)
}
