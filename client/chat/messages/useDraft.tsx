import { useCallback, useEffect, useRef, useState } from 'react'
import { keepDraft, readDraft } from '../../rooms/list/drafts.ts'
import { holdPage, onKeepDrafts } from '../../rooms/list/unkeptDrafts.ts'
import { useEnv } from '../../ui/env.tsx'
import { useLatest } from '../../ui/useLatest.tsx'
import { CryptoFailure } from '../../worker/crypto.ts'

/** Each save ends on disk: what a crash takes is at most what was typed in this time. */
const KEEP_AFTER_MS = 250

interface Draft {
  text: string
  change: (text: string) => void
  /** Empties the field, and leaves the stored text: the transaction that keeps the message ends it. */
  empty: () => void
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
  const latest = useLatest(text)

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

  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const keep = useCallback(async () => {
    if (timer.current !== null) clearTimeout(timer.current)
    timer.current = null
    if (unkept.current === null) return
    const kept = unkept.current
    unkept.current = null
    // If storage is full or the account was closed meanwhile, the text stays in the composer for the next attempt.
    await keepDraft(env, chatRoomId, kept).then(
      () => setUnkept(false),
      (error: unknown) => {
        // Not where it was sent meanwhile, or something else was typed.
        if (latest.current === kept) unkept.current ??= kept
        setUnkept(error instanceof CryptoFailure && error.code === 'quota')
      },
    )
  }, [env, chatRoomId, latest])

  useEffect(() => {
    const onHide = () => void keep()
    const onClose = () => {
      onHide()
      holdPage()
    }
    // A phone ends a page in the background without another word.
    document.addEventListener('visibilitychange', onHide)
    window.addEventListener('pagehide', onClose)
    const off = onKeepDrafts(keep)
    return () => {
      off()
      document.removeEventListener('visibilitychange', onHide)
      window.removeEventListener('pagehide', onClose)
      void keep()
    }
  }, [keep])

  const change = useCallback(
    (next: string) => {
      isTouched.current = true
      unkept.current = next
      setText(next)
      if (next === '') void keep()
      else timer.current ??= setTimeout(() => void keep(), KEEP_AFTER_MS)
    },
    [keep],
  )
  const empty = useCallback(() => {
    // The message has the words now. Stored as a draft behind it they would stand in the field again.
    unkept.current = null
    setText('')
  }, [])
  return { text, change, empty, isUnkept }
}
