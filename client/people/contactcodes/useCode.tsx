import { useCallback, useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import type { User } from '../../../contract/account/account.ts'
import { PERIODS } from '../../../contract/ground/limits.ts'
import { useEnv, useNow } from '../../ui/env.tsx'
import { generateCode, loadCode } from './contactcodes.ts'
import { codeStore } from './store.ts'

/** Waits between tries to make a code by itself after a failure; the last one is kept. */
const BACK_OFF_MS = [5_000, 30_000, 120_000]

/**
 * The account's code with the seconds that it has left, while a screen shows it: read at once, every half minute, and when the
 * server tells of a change. Where there is none, it makes one: at the start always, later only with `renews`.
 */
export function useCode(user: User, { renews }: { renews: boolean }) {
  const env = useEnv()
  const state = useStore(codeStore)
  const now = useNow(1000)
  const { code, status, isGenerating } = state
  // The server's clock may be ahead.
  const leftMs = code ? Math.min(PERIODS.contactCodeMs, code.expiresAt.getTime() - now.getTime()) : 0
  const secondsLeft = Math.max(0, Math.ceil(leftMs / 1000))
  const isMissing = status === 'ready' && secondsLeft === 0 && !isGenerating
  const failed = useRef({ times: 0, at: 0 })
  const isFirst = useRef(true)

  useEffect(() => {
    const read = () => void loadCode(env, user)
    read()
    const timer = setInterval(read, PERIODS.contactCodePollMs)
    const offs = [env.socket.on('code', read), env.socket.on('hello', read)]
    return () => {
      clearInterval(timer)
      for (const off of offs) off()
    }
  }, [env, user])

  const generate = useCallback(async () => {
    isFirst.current = false
    try {
      await generateCode(env, user)
      failed.current = { times: 0, at: 0 }
    } catch (error) {
      failed.current = { times: failed.current.times + 1, at: Date.now() }
      throw error
    }
  }, [env, user])

  // Runs with each tick, so that a hidden page makes its next code when it is seen again.
  useEffect(() => {
    const { times, at } = failed.current
    const wait = times === 0 ? 0 : (BACK_OFF_MS[Math.min(times, BACK_OFF_MS.length) - 1] ?? 0)
    const isAllowed = renews || (isFirst.current && times === 0)
    if (!isMissing || !isAllowed || document.visibilityState !== 'visible' || Date.now() - at < wait) return
    // The failure stands in the store, where the screen shows it.
    generate().catch(() => undefined)
  })
  useEffect(() => {
    if (status === 'ready' && secondsLeft > 0) isFirst.current = false
  }, [status, secondsLeft])

  return { ...state, secondsLeft, generate }
}
