import { CircleAlert, Fingerprint } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { CryptoFailure } from '../../worker/crypto.ts'
import type { Opener, Ways } from '../account/keys.ts'
import { openingWords } from '../account/openingWords.ts'
import { passkeysWork } from '../account/passkeysWork.ts'
import { KitEntry } from '../kit/KitEntry.tsx'
import { KIT_WORDS, wordsIn } from '../kit/kit.ts'
import { focusStep } from './focusStep.ts'
import { OpenByPassword } from './OpenByPassword.tsx'
import { openWith } from './recover.ts'
import type { SignInStep } from './signin.ts'
import { useCancel } from './useCancel.tsx'

interface Props {
  ways: Ways
  /** True after a sign-in by password, false after one by a passkey. */
  isPasswordEntered: boolean
  onStep: (step: SignInStep) => void
  onCancel: () => void
}

/** Asks for another way in after a sign-in that does not open this account's keys [Note: K1]. */
export function OpenKeys({ ways, isPasswordEntered, onStep, onCancel }: Props) {
  const env = useEnv()
  const form = useRef<HTMLFormElement>(null)
  const [words, setWords] = useState('')
  const [error, setError] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const [pending, setPending] = useState<Opener['kind']>()
  const hasPasskeys = ways.passkeys.length > 0
  const takesPassword = ways.password && !isPasswordEntered
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => focusStep(title.current?.parentElement), [])

  function refuse(text: string) {
    setError(text)
    requestAnimationFrame(() => form.current?.querySelector('textarea')?.focus())
  }

  async function open(opener: Opener) {
    if (pending) return
    setPending(opener.kind)
    setError(undefined)
    setFailure(undefined)
    try {
      onStep(await openWith(env, opener))
    } catch (reason) {
      if (opener.kind === 'kit' && reason instanceof CryptoFailure) refuse(openingWords('kit', reason))
      else setFailure(opener.kind === 'password' ? openingWords('password', reason) : failureWords(reason))
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

  const cancel = useCancel(onCancel)

  return (
    <section className="step kit">
      <h1 ref={title} tabIndex={-1}>
        Open your keys
      </h1>
      <p className="t2">
        {wayWords(ways)} {isPasswordEntered ? 'Your password alone does not.' : 'The passkey that you used only signs in.'}
      </p>
      {takesPassword && (
        <OpenByPassword isPending={pending === 'password'} onOpen={(password) => void open({ kind: 'password', password })} />
      )}
      {hasPasskeys && (
        <button
          type="button"
          className={ways.kit || takesPassword ? 'btn outline large wide' : 'btn primary large wide'}
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

function wayWords({ password, kit, passkeys }: Ways): string {
  const names = [
    ...(password ? ['the password'] : []),
    ...(kit ? ['the recovery kit'] : []),
    ...(passkeys.length > 0 ? ['a passkey'] : []),
  ]
  return `This account opens new browsers with ${names.join(' or ')}.`
}
