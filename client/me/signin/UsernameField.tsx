import { Check, LoaderCircle, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { usernameShape } from '../../../contract/account/names.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { useEnv } from '../../ui/env.tsx'
import { Field } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { UNKEPT } from '../../ui/unkept.ts'
import { checkUsername } from './signin.ts'

const DEBOUNCE_MS = 300

interface Answer {
  username: string
  /** `unknown` means that the server could not be asked. The registration itself will show it. */
  verdict: 'free' | 'refused' | 'unknown'
  message: string
}

/** `checking` until the server has answered. */
export type NameState = 'usable' | 'checking' | 'unusable'

interface Props {
  value: string
  error: string | undefined
  onValue: (username: string) => void
  onState: (state: NameState) => void
}

/** A username field that checks while typing whether the name is free. */
export function UsernameField({ value, error, onValue, onState }: Props) {
  const env = useEnv()
  const [answer, setAnswer] = useState<Answer | null>(null)
  const isTooShort = value.length < LIMITS.usernameMin
  const shape = usernameShape.safeParse(value)
  const problem = isTooShort || shape.success ? undefined : shape.error.issues[0]?.message
  const isAsked = shape.success

  useEffect(() => {
    if (!isAsked) return
    let isCurrent = true
    const timer = setTimeout(async () => {
      const verdict = await checkUsername(env, value).then(
        ({ available, message }) => ({ verdict: available ? ('free' as const) : ('refused' as const), message }),
        (reason: unknown) => ({ verdict: 'unknown' as const, message: failureWords(reason) }),
      )
      if (isCurrent) setAnswer({ username: value, ...verdict })
    }, DEBOUNCE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [env, value, isAsked])

  const current = isAsked && answer?.username === value ? answer : undefined
  const state = !isAsked || current?.verdict === 'refused' ? 'unusable' : current ? 'usable' : 'checking'
  useEffect(() => onState(state), [onState, state])

  const refusal = problem ?? (current?.verdict === 'refused' ? current.message : undefined) ?? error
  return (
    <div>
      <Field
        label="Username"
        rule="cannot be changed later"
        value={value}
        error={refusal}
        onValue={onValue}
        {...UNKEPT}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={60}
        before={
          <span className="t3" aria-hidden="true">
            @
          </span>
        }
        after={<Sign isChecking={isAsked && !current} verdict={problem ? 'refused' : current?.verdict} />}
        help={<Help typed={value} answer={current} />}
      />
      <p className="sr" role="status">
        {isAsked && (current ? current.message : 'Checking')}
      </p>
    </div>
  )
}

function Help({ typed, answer }: { typed: string; answer: Answer | undefined }) {
  if (typed === '') return <p className="help">3 to 30 letters, digits, _</p>
  if (typed.length < LIMITS.usernameMin) return <p className="help">Username must be at least 3 characters</p>
  if (answer?.verdict === 'free') return <p className="help ok">{answer.message}</p>
  if (answer) return <p className="help">{answer.message}</p>
  return <p className="help">Checking...</p>
}

function Sign({ isChecking, verdict }: { isChecking: boolean; verdict: Answer['verdict'] | undefined }) {
  if (isChecking) return <LoaderCircle className="i i-16 spin" aria-hidden />
  if (verdict === 'free') return <Check className="i i-16 ok" aria-hidden />
  if (verdict === 'refused') return <X className="i i-16 bad" aria-hidden />
  return null
}
