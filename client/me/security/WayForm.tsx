import { Fingerprint } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { PasswordField } from '../../ui/Field.tsx'
import { Wrong } from '../../ui/Wrong.tsx'
import type { Opener } from '../account/keys.ts'
import { openingWords, type WayKind } from '../account/openingWords.ts'
import { KitEntry } from '../kit/KitEntry.tsx'

const NAMES: Record<WayKind, string> = { password: 'Password', passkey: 'Passkey', kit: 'Recovery kit' }

interface Props {
  kinds: WayKind[]
  words: string
  isDangerous: boolean | undefined
  isPending: boolean
  setPending: (isPending: boolean) => void
  onOpen: (opener: Opener) => Promise<void>
  onClose: () => void
  children: ReactNode
}

/** Asks for one of the ways in. */
export function WayForm({ kinds, words, isDangerous, isPending, setPending, onOpen, onClose, children }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const [chosen, setKind] = useState<WayKind>()
  const [password, setPassword] = useState('')
  const [kit, setKit] = useState('')
  const [failure, setFailure] = useState<string>()
  const kind = chosen && kinds.includes(chosen) ? chosen : (kinds[0] ?? 'password')
  useEffect(() => {
    // Runs after the dialog has focused its first control.
    const frame = requestAnimationFrame(() => focusField(form.current))
    return () => cancelAnimationFrame(frame)
  }, [])

  function refuse(reason: string) {
    setFailure(reason)
    requestAnimationFrame(() => focusField(form.current))
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    if (kind === 'password' && !password) return refuse('Password is required')
    if (kind === 'kit' && !kit.trim()) return refuse('Enter the 24 words of your recovery kit')
    setFailure(undefined)
    setPending(true)
    try {
      await onOpen(openerOf(kind, password, kit))
    } catch (error) {
      refuse(openingWords(kind, error))
    } finally {
      setPending(false)
    }
  }

  return (
    <form ref={form} onSubmit={submit} noValidate>
      {children}
      {kinds.length > 1 && (
        <fieldset className="ways" disabled={isPending}>
          <legend>Confirm with</legend>
          {kinds.map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="way"
                checked={one === kind}
                onChange={() => {
                  setKind(one)
                  setFailure(undefined)
                }}
              />
              {NAMES[one]}
            </label>
          ))}
        </fieldset>
      )}
      {kind === 'password' && (
        <PasswordField
          label="Password"
          autoComplete="current-password"
          value={password}
          error={failure}
          onValue={(typed) => {
            setPassword(typed)
            setFailure(undefined)
          }}
        />
      )}
      {kind === 'kit' && (
        <KitEntry
          value={kit}
          error={failure}
          onValue={(typed) => {
            setKit(typed)
            setFailure(undefined)
          }}
        />
      )}
      {kind === 'passkey' && (
        <div>
          <p className="help">
            <Fingerprint className="i i-14" aria-hidden />
            Your browser asks for the passkey next.
          </p>
          {failure && <Wrong>{failure}</Wrong>}
        </div>
      )}
      <footer>
        <button type="button" className="btn outline" disabled={isPending} onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className={isDangerous ? 'btn danger' : 'btn primary'} disabled={isPending}>
          {words}
        </button>
      </footer>
    </form>
  )
}

function openerOf(kind: WayKind, password: string, words: string): Opener {
  if (kind === 'password') return { kind, password }
  return kind === 'kit' ? { kind, words } : { kind }
}

/** Focuses the invalid field, else the first field, else the choice of the way in, else the submit button. */
function focusField(form: HTMLFormElement | null): void {
  const selectors = ['[aria-invalid]', '.input input, .input textarea', 'input:checked', 'button[type="submit"]']
  const found = selectors.map((one) => form?.querySelector<HTMLElement>(one)).find(Boolean)
  found?.focus()
}
