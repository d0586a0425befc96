import { useCallback, useEffect, useRef, useState } from 'react'
import { keepDraft, readDraft } from '../../rooms/list/drafts.ts'
import { holdPage, onKeepDrafts } from '../../rooms/list/unkeptDrafts.ts'
import { useEnv } from '../../ui/env.tsx'
import { useLatest } from '../../ui/useLatest.tsx'
import { CryptoFailure } from '../../worker/crypto.ts'

/** A crash loses at most the text of this time. */
const KEEP_AFTER_MS = 250

interface Draft {
  text: string
  change: (text: string) => void
  /** Keeps the stored text, which the transaction of the message deletes. */
  empty: () => void
  /** True if a full disk leaves the text only in this page. */
  isUnkept: boolean
}

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
    // The text stays in the composer for the next attempt.
    await keepDraft(env, chatRoomId, kept).then(
      () => setUnkept(false),
      (error: unknown) => {
        // The text was not sent or replaced meanwhile.
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
    // A phone ends background pages without another event.
    document.addEventListener('visibilitychange', onHide)
    // Capturing, before the worker is ended.
    window.addEventListener('pagehide', onClose, true)
    const off = onKeepDrafts(keep)
    return () => {
      off()
      document.removeEventListener('visibilitychange', onHide)
      window.removeEventListener('pagehide', onClose, true)
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
    // A draft stored after the message would show the sent text again.
    unkept.current = null
    setText('')
  }, [])
  return { text, change, empty, isUnkept }
}
