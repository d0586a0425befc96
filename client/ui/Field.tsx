import { Eye, EyeOff } from 'lucide-react'
import { type InputHTMLAttributes, type ReactNode, type Ref, useId, useState } from 'react'
import { later } from './later.tsx'
import { Wrong } from './Wrong.tsx'

/** Without WebAssembly a password becomes a key slowly. */
const IS_SLOW = typeof WebAssembly === 'undefined'
const Stretching = later(async () => (await import('./Stretching.tsx')).Stretching)

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'id'> {
  label: string
  /** Text at the right of the label, such as the allowed length. */
  rule?: string
  error?: string | undefined
  /** Text below the field if there is no error. */
  help?: ReactNode
  before?: ReactNode
  after?: ReactNode
  onValue: (value: string) => void
  inputRef?: Ref<HTMLInputElement>
}

export function Field({ label, rule, error, help, before, after, onValue, inputRef, ...input }: Props) {
  const id = useId()
  const noteId = `${id}-note`
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {rule && <span>{rule}</span>}
      </label>
      <div className={error ? 'input bad' : 'input'}>
        {before}
        <input
          {...input}
          id={id}
          ref={inputRef}
          onChange={(event) => onValue(event.target.value)}
          aria-invalid={error ? true : undefined}
          aria-describedby={error || help ? noteId : undefined}
        />
        {after}
      </div>
      <div id={noteId} className={error || help ? undefined : 'sr'}>
        {error ? <Wrong>{error}</Wrong> : help}
      </div>
    </div>
  )
}

/** How far a password is on its way to a key, where that is slow. */
export const Slowly = () => IS_SLOW && <Stretching />

type PasswordProps = Omit<Props, 'type' | 'after'> & { isShown?: boolean; onShow?: (isShown: boolean) => void; eyeTab?: -1 }

/** A password field with a button that reveals the text. The fields of a form may share that state. */
export function PasswordField({ isShown, onShow, eyeTab, ...field }: PasswordProps) {
  const [isOwnShown, setOwnShown] = useState(false)
  const isTextShown = isShown ?? isOwnShown
  const toggle = (
    <button
      type="button"
      className="icon-btn tight"
      tabIndex={eyeTab}
      aria-label={isTextShown ? 'Hide password' : 'Show password'}
      onClick={() => (onShow ?? setOwnShown)(!isTextShown)}
    >
      {isTextShown ? <EyeOff className="i i-16" aria-hidden /> : <Eye className="i i-16" aria-hidden />}
    </button>
  )
  return (
    <>
      <Field
        {...field}
        type={isTextShown ? 'text' : 'password'}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={100}
        after={toggle}
      />
      <Slowly />
    </>
  )
}
