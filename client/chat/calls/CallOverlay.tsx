import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { later } from '../../ui/later.tsx'
import { callAskStore, endCallAsk } from '../callline/askCall.ts'
import { CallSound } from './CallSound.tsx'
import { CallView } from './CallView.tsx'
import { type CallState, callStore } from './callState.ts'
import { dismissCall, startCall } from './calls.ts'
import { IncomingCall } from './IncomingCall.tsx'
import { RefusedCall } from './RefusedCall.tsx'
import { useCallPerson } from './useCallPerson.tsx'
import { spokenChange } from './viewWords.ts'

const UpgradeDialog = later(async () => (await import('../../plan/plans/UpgradeDialog.tsx')).UpgradeDialog)
const CallList = later(async () => (await import('./CallList.tsx')).CallList)

interface Props {
  onOpenChat: (chatRoomId: string) => void
}

/** All that a call lays over the messenger: who rings, the view, the sound of the other end, and what is announced. */
export function CallOverlay({ onOpenChat }: Props) {
  const env = useEnv()
  const phase = useStore(callStore, (call) => call.phase)
  const isMinimised = useStore(callStore, (call) => call.isMinimised)
  const isQuietlyOver = useStore(callStore, endsQuietly)
  const asked = useStore(callAskStore, (state) => state.asked)
  useEffect(() => {
    if (isQuietlyOver) dismissCall()
  }, [isQuietlyOver])
  useEffect(() => {
    callAskStore.setState({ isInCall: phase !== 'idle' })
    return () => callAskStore.setState({ isInCall: false })
  }, [phase])
  useEffect(() => {
    if (asked === null || typeof asked === 'string') return
    endCallAsk()
    void startCall(env, asked.room, asked.callType)
  }, [env, asked])
  const hasView = phase !== 'idle' && phase !== 'incoming' && !isQuietlyOver
  return (
    <>
      <Spoken />
      <CallSound />
      {phase === 'incoming' && <IncomingCall />}
      {hasView && (phase === 'over' || !isMinimised) && <CallView onOpenChat={onOpenChat} />}
      <RefusedCall />
      {asked === 'upgrade' && <UpgradeDialog feature="calling" isRefused={false} onClose={endCallAsk} />}
      {asked === 'list' && <CallList onOpenChat={onOpenChat} onClose={endCallAsk} />}
    </>
  )
}

/** An end that everybody knows, or that the line in the chat tells, has no screen of its own. */
function endsQuietly({ phase, over, isInitiator, callStartTime }: CallState): boolean {
  if (phase !== 'over' || !over) return false
  if (over.why === 'ended' || over.why === 'answered' || over.why === 'locked') return true
  return !isInitiator && callStartTime === null && over.why !== 'failed' && over.why !== 'forged'
}

/** Says the changes of a call to a screen reader. It stays when the call is over, to say that too. */
function Spoken() {
  const { short } = useCallPerson()
  const name = useRef(short)
  const [words, setWords] = useState('')
  useEffect(() => {
    if (short) name.current = short
  }, [short])
  useEffect(
    () =>
      callStore.subscribe((now, before) => {
        const said = spokenChange(before, now, name.current)
        if (said) setWords(said)
      }),
    [],
  )
  return (
    <p className="sr" aria-live="assertive">
      {words}
    </p>
  )
}
