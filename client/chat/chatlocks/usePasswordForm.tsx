import { type FormEvent, useRef, useState } from 'react'
import { ApiError } from '../../net/api.ts'
import { failureWordsOr } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import type { Tried } from './chatlocks.ts'
import { useSecondsLeft } from './useSecondsLeft.tsx'

/** The fields of a form for chat passwords, by what is typed there. */
type Field = 'current' | 'next' | 'again'

interface Wrong {
  field: Field
  words: string
}

/** Thrown by the work of a form that a field is to blame for. */
export class WrongField extends Error {
  readonly wrong: Wrong
  constructor(field: Field, words: string) {
    super(words)
    this.name = 'WrongField'
    this.wrong = { field, words }
  }
}

/**
 * The state of a form that takes chat passwords. `work` acts on what was typed; a refusal of that stands at its field, any other
 * failure is a toast. While the server makes the person wait, `waitSeconds` counts down and nothing is sent.
 */
export function usePasswordForm(failed: string, work: (typed: Record<Field, string>) => Promise<void>) {
  const form = useRef<HTMLFormElement>(null)
  const [typed, setTyped] = useState({ current: '', next: '', again: '' })
  const [wrong, setWrong] = useState<Wrong>()
  const [isPending, setPending] = useState(false)
  const [waitSeconds, wait] = useSecondsLeft()

  function refuse(found: Wrong) {
    setPending(false)
    setWrong(found)
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending || waitSeconds > 0) return
    setPending(true)
    setWrong(undefined)
    try {
      await work(typed)
      setPending(false)
    } catch (error) {
      if (error instanceof WrongField) return refuse(error.wrong)
      if (error instanceof ApiError && error.code === 'too_many_requests') wait(error.retryAfterSeconds ?? 0)
      const [first = 'next'] = fieldsIn(form.current)
      const words = failureWordsOr(error, failed)
      if (error instanceof ApiError && error.status === 400) return refuse({ field: first, words })
      setPending(false)
      showToast({ tone: 'bad', title: 'Error', text: words })
    }
  }

  /** Throws WrongField for a wrong chat password, and says what follows of it. */
  function requireRight({ valid, triesLeft, waitSeconds: seconds }: Tried): void {
    if (valid) return
    wait(seconds)
    throw new WrongField('current', `Invalid password${afterWrong(triesLeft, seconds)}`)
  }

  const field = (name: Field) => ({
    name,
    value: typed[name],
    error: wrong?.field === name ? wrong.words : undefined,
    onValue: (value: string) => {
      setTyped((before) => ({ ...before, [name]: value }))
      setWrong(undefined)
    },
  })
  return { form, field, submit, requireRight, isPending, waitSeconds, wait }
}

const fieldsIn = (form: HTMLFormElement | null): Field[] =>
  [...(form?.querySelectorAll('input') ?? [])].map(({ name }) => name).filter((name): name is Field => FIELDS.includes(name))
const FIELDS: string[] = ['current', 'next', 'again'] satisfies Field[]

function afterWrong(triesLeft: number, waitSeconds: number): string {
  if (waitSeconds > 0) return '. The next one has to wait.'
  return triesLeft === 1 ? '. 1 try left before a pause.' : `. ${triesLeft} tries left before a pause.`
}
