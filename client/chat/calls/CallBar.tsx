import { Mic, MicOff, PhoneCall, PhoneOff } from 'lucide-react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { callStore } from './callState.ts'
import { CALLING, timerWords } from './viewWords.ts'
import './callBar.css'
import { endCall, minimiseCall, toggleAudio } from './calls.ts'
import { useCallPerson } from './useCallPerson.tsx'
import { useSeconds } from './useSeconds.tsx'

/** The call whose view is closed: how long it lasts, and the way back. */
export function CallBar() {
  const env = useEnv()
  const { phase, isAudioEnabled, callStartTime } = useStore(callStore)
  const { short } = useCallPerson()
  const seconds = useSeconds(callStartTime)
  const isLive = phase === 'live'
  const standing =
    phase === 'reconnecting' ? 'Reconnecting' : phase === 'calling' || phase === 'starting' ? CALLING : 'Connecting...'
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is a group of a form's fields
    <div className="call-bar" role="group" aria-label="Call">
      <PhoneCall className="i i-16" aria-hidden />
      <p className="cut">
        <span>{isLive ? timerWords(seconds) : standing}</span>{' '}
        <b>
          {isLive && <span className="only-wide">In a call with </span>}
          <bdi>{short}</bdi>
        </b>
      </p>
      <IconButton
        icon={isAudioEnabled ? Mic : MicOff}
        label={isAudioEnabled ? 'Mute' : 'Unmute'}
        onClick={() => void toggleAudio(env)}
      />
      <button type="button" className="btn compact outline" onClick={() => minimiseCall(false)}>
        Return
      </button>
      <IconButton icon={PhoneOff} label="End" onClick={() => void endCall(env)} />
    </div>
  )
}
