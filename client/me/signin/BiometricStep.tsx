import { CircleAlert, Fingerprint, ShieldCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { FactorDetails } from '../../../contract/account/assertion.ts'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { useLatest } from '../../ui/useLatest.tsx'
import type { SignedByPasskey } from '../account/passkey.ts'
import { passkeysWork } from '../account/passkeysWork.ts'
import { askFactor } from './signInByPasskey.ts'

/** The server takes a signature for two minutes. Later than this the password is sent again first, for a new challenge. */
const FRESH_MS = 100_000

/** What the server wants signed beside the password of this username. */
export interface Factor {
  username: string
  details: FactorDetails
  /** When the server has asked, in ms. */
  askedAt: number
  /** Why the server refused what a passkey signed last. */
  refusal?: string
}

interface Props {
  factor: Factor
  /** The username as typed now. */
  username: string
  /** Sends the password again. Returns what to sign; undefined if the password was refused. */
  onRenew: () => Promise<Factor | undefined>
  onSigned: (signed: SignedByPasskey) => void
  onForgot: () => void
}

/** Asks for a passkey after a right password, for accounts that want one beside it [Note: K1]. Until then nobody is signed in. */
export function BiometricStep({ factor, username, onRenew, onSigned, onForgot }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const typed = useLatest(username)
  const [state, setState] = useState<'required' | 'scanning' | 'complete'>('required')
  const [failure, setFailure] = useState<string>()
  useEffect(() => button.current?.focus(), [])
  useEffect(() => {
    if (factor.refusal) setState('required')
  }, [factor])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another name begins anew
  useEffect(() => {
    setState('required')
    setFailure(undefined)
  }, [username])

  async function scan() {
    if (state !== 'required') return
    if (!username.trim()) return setFailure('Username required')
    setFailure(undefined)
    setState('scanning')
    try {
      const isFresh = !factor.refusal && Date.now() - factor.askedAt < FRESH_MS
      const current = isFresh ? factor : await onRenew()
      if (!current) return
      const signed = await askFactor(current.details)
      if (typed.current !== username) return
      setState('complete')
      onSigned(signed)
    } catch (error) {
      setFailure(failureWords(error))
      setState('required')
    }
  }

  const said = failure ?? (state === 'required' ? factor.refusal : undefined)
  return (
    <section className="stack" aria-label="Biometric authentication">
      <Note
        icon={said ? CircleAlert : state === 'complete' ? ShieldCheck : Fingerprint}
        tone={said ? 'danger' : state === 'complete' ? 'ok' : 'acc'}
        role={said ? 'alert' : 'status'}
      >
        <strong>{state === 'complete' ? 'Biometric authentication complete' : 'Biometric Authentication Required'}</strong>.{' '}
        {said ?? WORDS[state]}
      </Note>
      <button
        ref={button}
        type="button"
        className="btn primary large wide"
        disabled={state !== 'required' || !passkeysWork()}
        onClick={() => void scan()}
      >
        <Fingerprint className="i" aria-hidden />
        {state === 'scanning' ? 'Scanning...' : 'Use your passkey'}
      </button>
      <p className="small fine">
        {!passkeysWork() && <>Passkeys do not work in this browser or at this address. </>}
        No passkey at hand?{' '}
        <button type="button" className="linkish" onClick={onForgot}>
          Use your recovery kit
        </button>
      </p>
    </section>
  )
}

const WORDS = {
  required: 'Your password is right. This account also asks for one of its passkeys: a fingerprint, your face or a hardware key.',
  scanning: 'Your device asks who you are.',
  complete: 'Signing in...',
}
