import { Minimize2, WifiOff } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { Avatar } from '../../ui/Avatar.tsx'
import { useEnv } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { useOver } from '../../ui/useOver.tsx'
import { CallControls } from './CallControls.tsx'
import { CallStage } from './CallStage.tsx'
import { type CallState, callStore } from './callState.ts'
import { ALONE, CALLING, reconnectingWords, timerWords } from './viewWords.ts'
import './call.css'
import { CallOver } from './CallOver.tsx'
import { CompareWords, WordsButton } from './CompareWords.tsx'
import { dismissCall, minimiseCall, toggleAudio } from './calls.ts'
import { DeviceSheet } from './DeviceSheet.tsx'
import { OwnTile } from './OwnTile.tsx'
import { TestLine } from './TestLine.tsx'
import { useCallActs } from './useCallActs.tsx'
import { useCallPerson } from './useCallPerson.tsx'
import { useSeconds } from './useSeconds.tsx'

type Over = 'words' | 'devices'

/** The call over the whole screen. Escape goes back to the chat, where it stays as a bar. */
export function CallView({ onOpenChat }: { onOpenChat: (chatRoomId: string) => void }) {
  const env = useEnv()
  const phase = useStore(callStore, (call) => call.phase)
  const content = useRef<HTMLDivElement>(null)
  const [over, setOver] = useState<Over>()
  const isTalking = useRef(false)
  const { name } = useCallPerson()
  const toggle = (what: Over) => setOver((before) => (before === what ? undefined : what))
  const acts = useCallActs(() => toggle('devices'))

  function goBack() {
    const { chatRoomId } = callStore.getState()
    minimiseCall(true)
    if (chatRoomId) onOpenChat(chatRoomId)
  }

  /** Radix would close a toast above it alone. */
  function leave() {
    if (over) setOver(undefined)
    else if (phase === 'over') dismissCall()
    else goBack()
  }
  const giveBack = useOver(leave)

  function press(event: KeyboardEvent) {
    if (event.key === 'Escape') return content.current?.contains(event.target as Node) ? leave() : undefined
    if (event.ctrlKey || event.metaKey || event.altKey || phase === 'over') return
    const target = event.target as HTMLElement
    if (target.closest('select, input, textarea')) return
    const act = acts.find(({ key }) => key === event.key.toLowerCase())
    if (act && !act.isDisabled) {
      event.preventDefault()
      if (!event.repeat) act.run()
    } else if (event.key === ' ' && !target.closest('button')) {
      event.preventDefault()
      if (event.repeat || callStore.getState().isAudioEnabled) return
      isTalking.current = true
      void toggleAudio(env)
    }
  }

  /** The end of holding Space, by which one speaks while muted. */
  function release(event: KeyboardEvent) {
    if (event.key !== ' ' || !isTalking.current) return
    isTalking.current = false
    if (callStore.getState().isAudioEnabled) void toggleAudio(env)
  }

  return (
    <Radix.Root open>
      <Radix.Portal>
        <Radix.Content
          ref={content}
          className="call"
          tabIndex={-1}
          aria-describedby={undefined}
          onKeyDown={press}
          onKeyUp={release}
          onInteractOutside={(event) => event.preventDefault()}
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            content.current?.focus()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            giveBack()
          }}
          onEscapeKeyDown={(event) => event.preventDefault()}
        >
          {phase === 'over' ? (
            <CallOver onOpenChat={onOpenChat} />
          ) : (
            <>
              {phase === 'live' || phase === 'reconnecting' ? (
                <>
                  <div className="call-head">
                    <IconButton icon={Minimize2} label="Back to the chat, the call goes on" className="mini" onClick={goBack} />
                    <div className="cut">
                      <Radix.Title className="cut" dir="auto">
                        {name}
                      </Radix.Title>
                      <Standing />
                    </div>
                    <WordsButton isOpen={over === 'words'} onPress={() => toggle('words')} />
                  </div>
                  <CallStage />
                  <Reconnecting />
                </>
              ) : (
                <Waiting phase={phase} onBack={goBack} />
              )}
              {over === 'words' && <CompareWords onClose={() => setOver(undefined)} />}
              {over === 'devices' && <DeviceSheet onClose={() => setOver(undefined)} />}
              <CallControls acts={acts} open={over} />
            </>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The time of the call, and what is to be said of the line or the picture. */
function Standing() {
  const since = useStore(callStore, ({ callStartTime }) => callStartTime)
  const line = useStore(callStore, (call) => call.line)
  const otherVideo = useStore(callStore, (call) => call.otherVideo)
  const seconds = useSeconds(since)
  return (
    <p className="cut">
      <span role="timer" aria-label="Time of the call">
        {timerWords(seconds)}
      </span>
      {line === 'weak' && ' · weak line'}
      {otherVideo === 'screen' && ' · shares the screen'}
    </p>
  )
}

function Reconnecting() {
  const phase = useStore(callStore, (call) => call.phase)
  const since = useStore(callStore, ({ reconnectingSince }) => reconnectingSince)
  const seconds = useSeconds(since)
  if (phase !== 'reconnecting') return null
  return (
    <div className="call-over">
      <WifiOff className="i i-16" aria-hidden />
      <span>
        <b>{reconnectingWords(seconds)}</b> The line broke. Nothing to do.
      </span>
    </div>
  )
}

const WAITING: Partial<Record<CallState['phase'], string>> = { connecting: 'Connecting...', calling: CALLING }

/** Nobody else is in the call yet. */
function Waiting({ phase, onBack }: { phase: CallState['phase']; onBack: () => void }) {
  const { person, id, name } = useCallPerson()
  const callType = useStore(callStore, (call) => call.callType)
  const opening = callType === 'video' ? 'Opening your camera and microphone...' : 'Opening your microphone...'
  return (
    <>
      <div className="call-head">
        <IconButton icon={Minimize2} label="Back to the chat, the call goes on" className="mini" onClick={onBack} />
      </div>
      <div className="call-wait">
        <Avatar id={id} name={name} photo={person?.photo ?? null} size={120} />
        <Radix.Title dir="auto">{name}</Radix.Title>
        <p>{WAITING[phase] ?? opening}</p>
        {phase === 'calling' && <p className="small">{ALONE}</p>}
        <TestLine />
      </div>
      <OwnTile isFloating hasPictureOnly />
    </>
  )
}
