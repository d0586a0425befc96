import { createStore } from 'zustand/vanilla'
import type { CodeUse, ContactCode } from '../../../contract/chat/contactcodes.ts'

export interface CodeState {
  /** The account's valid code; null without one, or before it was read. */
  code: { qrToken: string; expiresAt: Date; usageCount: number; maxUsage: ContactCode['maxUsage']; content: string } | null
  status: 'loading' | 'ready'
  /** Why there is no code, or why it could not be read. */
  failure: string | null
  isGenerating: boolean
}

const unread: CodeState = { code: null, status: 'loading', failure: null, isGenerating: false }

export const codeStore = createStore<CodeState>(() => unread)

/** Who has used the account's codes. `proven` is null if only the token was pasted, which proves nothing. */
export type ShownUse = CodeUse & { proven: boolean | null }

/** The uses of the account's codes that the person has not answered, newest first. */
export const usesStore = createStore<{
  uses: ShownUse[]
  /** Codes on the screen: beside one stands the question about its use. */
  shownCodes: number
}>(() => ({ uses: [], shownCodes: 0 }))

/** Clears the stores when the account is closed here. */
export function resetCodes(): void {
  codeStore.setState(unread)
  usesStore.setState({ uses: [] })
}
