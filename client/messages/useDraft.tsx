import { useCallback, useEffect, useRef, useState } from 'react'
import { CryptoFailure } from '../crypto/crypto.ts'
import { keepDraft, readDraft } from '../rooms/drafts.ts'
import { onKeepDrafts } from '../rooms/unkept.ts'
import { useEnv } from '../ui/env.tsx'
import { useLatest } from '../ui/useLatest.tsx'

const KEEP_AFTER_MS = 400

interface Draft {
  text: string
  change: (text: string) => void
  /** Empties the field, and leaves the stored text until `settle`: a message that is not stored yet must not be lost. */
  empty: () => void
  /** Stores what the field has now. */
  settle: () => void
  /** True while the text cannot be stored because the disk is full: it is here until this page closes. */
  isUnkept: boolean
}

/** The unsent text of a chat, stored in the vault. */
export function useDraft(chatRoomId: string): Draft {
  const env = useEnv()
  const [text, setText] = useState('')
  const [isUnkept, setUnkept] = useState(false)
  const isTouched = useRef(false)
  const unkept = useRef<string | null>(null)

  useEffect(() => {
    let isCurrent = true
    readDraft(env, chatRoomId).then(
      (draft) => isCurrent && !isTouched.current && setText(draft),
      // An unreadable draft must not block the composer.
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [env, chatRoomId])

  const keep = useCallback(async () => {
    if (unkept.current === null) return
    const kept = unkept.current
    unkept.current = null
    // If storage is full or the account was closed meanwhile, the text stays in the composer for the next attempt.
    await keepDraft(env, chatRoomId, kept).then(
      () => setUnkept(false),
      (error: unknown) => {
        unkept.current ??= kept
        setUnkept(error instanceof CryptoFailure && error.code === 'quota')
      },
    )
  }, [env, chatRoomId])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new text starts the wait again
  useEffect(() => {
    const timer = setTimeout(() => void keep(), KEEP_AFTER_MS)
    return () => clearTimeout(timer)
  }, [keep, text])

  useEffect(() => {
    const onHide = () => void keep()
    window.addEventListener('pagehide', onHide)
    const off = onKeepDrafts(keep)
    return () => {
      off()
      window.removeEventListener('pagehide', onHide)
      void keep()
    }
  }, [keep])

  const change = useCallback(
    (next: string) => {
      isTouched.current = true
      unkept.current = next
      setText(next)
      if (next === '') void keep()
    },
    [keep],
  )
  const latest = useLatest(text)
  const empty = useCallback(() => setText(''), [])
  const settle = useCallback(() => {
    unkept.current = latest.current
    void keep()
  }, [keep, latest])
  return { text, change, empty, settle, isUnkept }
}
