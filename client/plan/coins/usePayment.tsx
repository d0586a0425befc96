import { useEffect, useRef, useState } from 'react'
import { COIN_POLLS, type CoinPayment } from '../../../contract/money/coins.ts'
import type { Env } from '../../env.ts'
import { refreshUser } from '../../me/account/account.ts'
import { ApiError } from '../../net/api.ts'
import { useEnv } from '../../ui/env.tsx'
import { showToast } from '../../ui/toast.ts'
import { useLatest } from '../../ui/useLatest.tsx'
import { coinChat, showCoinPaid } from '../plans/askedIn.ts'
import { checkPayment, isOpen } from './coins.ts'

/** A payment as the chain shows it, while a screen shows it. Once it is paid, says so, calls `onPaid`, and leads back to the chat that asked. */
export function usePayment(first: CoinPayment, onPaid: () => void) {
  const env = useEnv()
  const [payment, setPayment] = useState(first)
  /** Since when the server looks for a transaction that was named. */
  const [submittedAt, setSubmittedAt] = useState<number>()
  /** True while the server does not answer: what is shown is what was known last. */
  const [isCut, setCut] = useState(false)
  const paid = useLatest(onPaid)
  // The transaction of an expired payment can still be named.
  const isWaiting = isOpen(payment) || (payment.status === 'expired' && submittedAt !== undefined)
  const { id } = first

  useEffect(() => {
    if (!isWaiting) return
    let isShown = true
    const look = async () => {
      if (submittedAt !== undefined && Date.now() - submittedAt >= COIN_POLLS.submittedForMs) return setSubmittedAt(undefined)
      try {
        const next = await checkPayment(env, id)
        if (!isShown) return
        setCut(false)
        setPayment(next)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        // The screen keeps what it knows, and asks again.
        if (isShown) setCut(error.status === 0 || error.status >= 500)
      }
    }
    void look()
    const timer = setInterval(() => void look(), submittedAt === undefined ? COIN_POLLS.paymentMs : COIN_POLLS.submittedMs)
    return () => {
      isShown = false
      clearInterval(timer)
    }
  }, [env, id, isWaiting, submittedAt])

  const isPaid = payment.status === 'confirmed'
  useEffect(() => {
    if (!isPaid) return
    let isShown = true
    void readPlan(env).then(() => {
      if (!isShown) return
      paid.current()
      showCoinPaid(id, true)
      // Another screen drops the toasts of before.
      showToast({ tone: 'good', title: 'Payment Confirmed', text: 'Your plan counts from now on' })
    })
    return () => {
      isShown = false
    }
  }, [env, id, isPaid, paid])

  const submitted = (next: CoinPayment) => {
    setPayment(next)
    setSubmittedAt(Date.now())
  }
  return { payment, submitted, isLooking: submittedAt !== undefined, isCut }
}

/** Sees a payment of the list become paid, also over a reload. */
export function usePaidInList(payments: readonly CoinPayment[]): void {
  const env = useEnv()
  const waiting = useRef(new Set<string>())
  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  useEffect(() => {
    for (const { id, status } of payments)
      if (status === 'confirmed' && (waiting.current.has(id) || coinChat(id)))
        void readPlan(env).then(() => isHere.current && showCoinPaid(id, false))
    waiting.current = new Set(payments.filter(({ status }) => status !== 'confirmed').map(({ id }) => id))
  }, [env, payments])
}

/** The socket tells of the plan too, where there is one. */
const readPlan = (env: Env): Promise<void> => refreshUser(env).catch(() => undefined)
