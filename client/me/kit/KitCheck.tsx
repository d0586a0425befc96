import { CircleAlert } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Field } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { pickPlaces, wrongPlaces } from './kit.ts'

interface Props {
  words: readonly string[]
  /** Text of the main button while the kit is added to the keyring. */
  pendingWords: string
  onRight: () => Promise<void>
  onBack: () => void
}

/** Asks for three words from the paper, which proves that the person's copy is readable. */
export function KitCheck({ words, pendingWords, onRight, onBack }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const [places] = useState(pickPlaces)
  const [typed, setTyped] = useState<Record<number, string>>({})
  const [wrong, setWrong] = useState<number[]>([])
  const [failure, setFailure] = useState<string>()
  const [isPending, setPending] = useState(false)

  function change(place: number, word: string) {
    setTyped({ ...typed, [place]: word })
    setWrong(wrong.filter((other) => other !== place))
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    const found = wrongPlaces(words, typed, places)
    setWrong(found)
    setFailure(undefined)
    if (found.length > 0) {
      requestAnimationFrame(() => form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus())
      return
    }
    setPending(true)
    try {
      await onRight()
    } catch (error) {
      setFailure(failureWords(error))
    } finally {
      setPending(false)
    }
  }

  return (
    <form ref={form} className="kit-check" onSubmit={submit} noValidate autoComplete="off">
      <p className="t2">Three words from your copy show that it can be read. The kit counts from then on.</p>
      <div className="kit-three">
        {places.map((place) => (
          <Field
            key={place}
            label={`Word ${place}`}
            value={typed[place] ?? ''}
            error={wrong.includes(place) ? wrongWords(place, typed[place]) : undefined}
            onValue={(word) => change(place, word)}
            autoComplete="off"
            autoCorrect="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={20}
          />
        ))}
      </div>
      {failure && (
        <Note icon={CircleAlert} tone="danger" role="alert">
          <strong>The kit does not count yet.</strong> {failure}
        </Note>
      )}
      <div className="kit-bar">
        <button type="button" className="btn outline" disabled={isPending} onClick={onBack}>
          Back to the words
        </button>
        <button type="submit" className="btn primary" disabled={isPending}>
          {isPending ? pendingWords : 'Check'}
        </button>
      </div>
    </form>
  )
}

const wrongWords = (place: number, typed: string | undefined) =>
  typed?.trim() ? `Your kit has another word at place ${place}` : `Type word ${place} of your kit`
