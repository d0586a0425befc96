import { useEffect, useRef, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { noteFocus } from '../../ui/opener.ts'
import { showToast } from '../../ui/toast.ts'
import { isQuestion } from './stageWords.ts'
import type { Transfer } from './transferState.ts'
import { type TransferConsent, transferVerbs } from './transferVerbs.ts'
import { TOASTS } from './transferWords.ts'

/** `isAsking`: this person has brought the question that stands, by a press here or, if `asks`, elsewhere. */
export function useTransferActs({ content: { transferId }, refusal, stage }: Transfer, asks: boolean) {
  const env = useEnv()
  const [isAsking, setAsking] = useState(asks)
  const [isBusy, setBusy] = useState(false)
  // Two questions of one transfer, such as Tor and the address, are answered one after the other.
  const allowed = useRef<TransferConsent>({})
  useEffect(() => setAsking(asks), [asks])
  useEffect(() => {
    if (stage === 'moving') setAsking(false)
  }, [stage])

  async function act(title: string, work: () => Promise<void>) {
    const giveBack = noteFocus()
    setBusy(true)
    try {
      await work()
    } catch (error) {
      showToast({ tone: 'bad', title, text: failureWords(error) })
    }
    setBusy(false)
    // The pressed button goes with its stage. A focus elsewhere stays.
    requestAnimationFrame(() => document.activeElement === document.body && giveBack())
  }

  /** Accepts, goes on or tries again. A question that stands is asked first. */
  function begin(consent?: TransferConsent) {
    setAsking(true)
    if (consent === undefined && isQuestion(refusal)) return
    allowed.current = { ...allowed.current, ...consent }
    void act(TOASTS.notConnected.title, async () => (await transferVerbs()).acceptTransfer(env, transferId, allowed.current))
  }

  function endAsking() {
    allowed.current = {}
    setAsking(false)
  }

  return {
    begin,
    isAsking: isAsking && !isBusy,
    endAsking,
    isBusy,
    decline: () => void act('Not declined', async () => (await transferVerbs()).declineTransfer(env, transferId)),
    pause: () => void act('Not paused', async () => (await transferVerbs()).pauseTransfer(env, transferId)),
    cancel: () => void act('Not cancelled', async () => (await transferVerbs()).cancelTransfer(env, transferId)),
  }
}
