import { createStore } from 'zustand/vanilla'
import type { Env } from '../../env.ts'
import { CryptoFailure } from '../../worker/crypto.ts'

interface Choice<T> {
  chatRoomId: string
  value: T | null
}

interface Kept<T> {
  read: (env: Env, chatRoomId: string) => Promise<T | null>
  keep: (env: Env, chatRoomId: string, value: T | null) => Promise<void>
}

/** What a person has begun in the chat whose field is open. This browser keeps it. */
export function makeKeptChoice<T>({ read, keep }: Kept<T>) {
  const store = createStore<{ open: Choice<T> | null }>(() => ({ open: null }))
  const isOpen = (chatRoomId: string) => store.getState().open?.chatRoomId === chatRoomId

  function shown(chatRoomId: string): T | null {
    const { open } = store.getState()
    return open?.chatRoomId === chatRoomId ? open.value : null
  }

  function show(chatRoomId: string, value: T | null): void {
    if (isOpen(chatRoomId)) store.setState({ open: { chatRoomId, value } })
  }

  /** Shows what is kept, unless the person has chosen meanwhile. Returns how to close. */
  function open(env: Env, chatRoomId: string): () => void {
    const opened: Choice<T> = { chatRoomId, value: null }
    store.setState({ open: opened })
    const isUntouched = () => store.getState().open === opened
    // An unreadable row must not block the field.
    void read(env, chatRoomId).then(
      (value) => isUntouched() && show(chatRoomId, value),
      () => undefined,
    )
    return () => {
      if (isOpen(chatRoomId)) store.setState({ open: null })
    }
  }

  async function choose(env: Env, chatRoomId: string, value: T | null): Promise<void> {
    show(chatRoomId, value)
    await keep(env, chatRoomId, value).catch((error: unknown) => {
      // A full disk leaves it in this page alone.
      if (!(error instanceof CryptoFailure)) throw error
    })
  }

  return { store, shown, show, open, choose }
}
