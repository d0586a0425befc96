import { CircleAlert, Fingerprint } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Opener } from '../account/keys.ts'
import { openingWords } from '../account/opening.ts'
import { passkeysWork } from '../account/passkeyshere.ts'
import { CryptoFailure } from '../crypto/crypto.ts'
import { KitEntry } from '../kit/KitEntry.tsx'
import { KIT_WORDS, wordsIn } from '../kit/kit.ts'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { Note } from '../ui/Note.tsx'
import { showToast } from '../ui/toast.ts'
import { openWith } from './recover.ts'
import { cancelSignIn, type SignInStep } from './signin.ts'

interface Props {
  ways: Extract<SignInStep, { step: 'open_keys' }>['ways']
  onStep: (step: SignInStep) => void
  onCancel: () => void
}

/** Asks for the kit or a passkey after a correct password that alone does not open this account's keys [Note: K1]. */
export function OpenKeys({ ways, onStep, onCancel }: Props) {
  const env = useEnv()
  const form = useRef<HTMLFormElement>(null)
  const [words, setWords] = useState('')
  const [error, setError] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const [pending, setPending] = useState<'kit' | 'passkey'>()
  const hasPasskeys = ways.passkeys.length > 0
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])

  function refuse(text: string) {
    setError(text)
    requestAnimationFrame(() => form.current?.querySelector('textarea')?.focus())
  }

  async function open(opener: Opener) {
    if (pending) return
    setPending(opener.kind === 'kit' ? 'kit' : 'passkey')
    setError(undefined)
    setFailure(undefined)
    try {
      onStep(await openWith(env, opener))
    } catch (reason) {
      if (opener.kind === 'kit' && reason instanceof CryptoFailure) refuse(openingWords('kit', reason))
      else setFailure(failureWords(reason))
    } finally {
      setPending(undefined)
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    const typed = wordsIn(words)
    if (typed.length === 0) return refuse('The words are required')
    if (typed.length !== KIT_WORDS) return refuse(`A recovery kit has ${KIT_WORDS} words. These are ${typed.length}`)
    void open({ kind: 'kit', words: typed.join(' ') })
  }

  function cancel() {
    cancelSignIn(env).catch((reason) => showToast({ tone: 'bad', title: 'The sign-in stays open', text: failureWords(reason) }))
    onCancel()
  }

  return (
    <section className="step kit">
      <h1 ref={title} tabIndex={-1}>
        Open your keys
      </h1>
      <p className="t2">{wayWords(ways)} Your password alone does not.</p>
      {hasPasskeys && (
        <button
          type="button"
          className={ways.kit ? 'btn outline large wide' : 'btn primary large wide'}
          disabled={pending !== undefined || !passkeysWork()}
          onClick={() => void open({ kind: 'passkey' })}
        >
          <Fingerprint className="i" aria-hidden />
          {pending === 'passkey' ? 'Waiting for the passkey...' : 'Use a passkey'}
        </button>
      )}
      {hasPasskeys && !passkeysWork() && <p className="small t2">Passkeys do not work in this browser or at this address.</p>}
      {failure && (
        <Note icon={CircleAlert} tone="danger" role="alert">
          {failure}
        </Note>
      )}
      {ways.kit ? (
        <form ref={form} onSubmit={submit} noValidate>
          <KitEntry
            value={words}
            error={error}
            onValue={(value) => {
              setError(undefined)
              setWords(value)
            }}
          />
          <div className="step-actions">
            <button type="submit" className="btn primary large" disabled={pending !== undefined}>
              {pending === 'kit' ? 'Opening...' : 'Open with the kit'}
            </button>
            <button type="button" className="btn outline large" disabled={pending !== undefined} onClick={cancel}>
              Cancel
            </button>
          </div>
        </form>
      ) : (
        <button type="button" className="btn quiet large wide" disabled={pending !== undefined} onClick={cancel}>
          Cancel
        </button>
      )}
      <p className="small t2">
        A kit is not used up here. With neither at hand, use a browser where you are signed in: it shows your messages and can
        export them.
      </p>
    </section>
  )
}

function wayWords({ kit, passkeys }: Props['ways']): string {
  if (kit && passkeys.length > 0) return 'This account opens new browsers with the recovery kit or a passkey.'
  return `This account opens new browsers with ${kit ? 'the recovery kit' : 'a passkey'}.`
}
