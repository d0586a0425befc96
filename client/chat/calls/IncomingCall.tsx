import { Phone, PhoneOff, ShieldCheck, Video } from 'lucide-react'
import { AlertDialog as Radix } from 'radix-ui'
import { type KeyboardEvent, useRef } from 'react'
import { useStore } from 'zustand'
import { Avatar } from '../../ui/Avatar.tsx'
import { useEnv } from '../../ui/env.tsx'
import { useOver } from '../../ui/useOver.tsx'
import { torRefusal } from './address.ts'
import { CallRefused } from './CallRefused.tsx'
import { callStore } from './callState.ts'
import { acceptCall, type Consent, declineCall, dismissRefusal, silenceRing } from './calls.ts'
import { incomingWords, ringingWords } from './viewWords.ts'
import './incoming.css'
import { useCallPerson } from './useCallPerson.tsx'

/** Somebody rings. Neither camera nor microphone is opened before Accept, and the other end learns nothing. */
export function IncomingCall() {
  const env = useEnv()
  const { callType, isRelayed, isSilenced, refusal } = useStore(callStore)
  const { person, id, name, short } = useCallPerson()
  const accept = useRef<HTMLButtonElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const giveBack = useOver(() => void declineCall(env))
  const isVideo = callType === 'video'
  const answer = useRef<{ withVideo: boolean; consent: Consent }>({ withVideo: isVideo, consent: {} })

  function take(withVideo: boolean, consent: Consent) {
    answer.current = { withVideo, consent }
    dismissRefusal()
    void acceptCall(env, withVideo, consent)
  }

  function press(event: KeyboardEvent) {
    // Radix would close a toast above it alone.
    if (event.key === 'Escape' && content.current?.contains(event.target as Node)) void declineCall(env)
    if (event.key.toLowerCase() !== 'm' || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    silenceRing()
  }

  return (
    <Radix.Root open>
      <Radix.Portal>
        <Radix.Overlay className="scrim over-call" />
        <Radix.Content
          ref={content}
          className="dialog ring"
          onKeyDown={press}
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            accept.current?.focus()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            giveBack()
          }}
          onEscapeKeyDown={(event) => event.preventDefault()}
        >
          <Avatar id={id} name={name} photo={person?.photo ?? null} size={88} />
          <div>
            <Radix.Title dir="auto">{name}</Radix.Title>
            <Radix.Description className="t2">{incomingWords(callType)}</Radix.Description>
          </div>
          {person?.isVerified && (
            <span className="badge ok">
              <ShieldCheck className="i i-14" aria-hidden />
              {person.isByCode ? 'Verified by a contact code' : 'Safety number compared'}
            </span>
          )}
          <p className="small t2">{ringingWords(isRelayed, torRefusal({}))}</p>
          <div className="go">
            <div>
              <button type="button" className="round" aria-label="Decline" onClick={() => void declineCall(env)}>
                <PhoneOff className="i i-24" aria-hidden />
              </button>
              <span aria-hidden="true">Decline</span>
            </div>
            {isVideo && (
              <div>
                <button type="button" className="round yes" aria-label="Accept without video" onClick={() => take(false, {})}>
                  <Phone className="i i-24" aria-hidden />
                </button>
                <span aria-hidden="true">Voice only</span>
              </div>
            )}
            <div>
              <button ref={accept} type="button" className="round yes" aria-label="Accept" onClick={() => take(isVideo, {})}>
                {isVideo ? <Video className="i i-24" aria-hidden /> : <Phone className="i i-24" aria-hidden />}
              </button>
              <span aria-hidden="true">Accept</span>
            </div>
          </div>
          <button type="button" className="linkish" disabled={isSilenced} aria-keyshortcuts="M" onClick={silenceRing}>
            {isSilenced ? 'Silenced here, it rings on elsewhere' : 'Silence the ringing'}
          </button>
          {refusal && (
            <CallRefused
              refusal={refusal}
              name={short}
              isRinging
              onAllow={(more) => take(answer.current.withVideo, { ...answer.current.consent, ...more })}
              onLeave={dismissRefusal}
            />
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
