import { type FormEvent, useState } from 'react'
import { onionOf } from '../../../contract/people/onion.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { nameOf, type Person } from './people.ts'
import './safety.css'

export type Choice = NonNullable<Person['choices']>[number]

interface Props {
  person: Person
  choices: Choice[]
  onChoose: (chosen: Choice) => Promise<void>
  onClose: () => void
}

const sourceOf = ({ isByAddress }: Choice, at: number): string =>
  isByAddress
    ? ', in the onion address that you entered'
    : at === 0
      ? ', known to this browser'
      : ', known to another browser of yours'

/** Two browsers know different keys, or an entered address has another key [Note: I1]. Neither key is preselected. */
export function ChooseKey({ person, choices, onChoose, onClose }: Props) {
  const [chosen, setChosen] = useState<Choice>()
  const [isPending, setPending] = useState(false)
  const name = nameOf(person)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!chosen || isPending) return
    setPending(true)
    try {
      await onChoose(chosen)
      onClose()
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: 'Your decision was not kept', text: failureWords(error) })
    }
  }

  return (
    <Dialog
      title={`Which key is ${name}’s?`}
      text={`Ask ${name} face to face or on the phone to read their onion address to you. Choose the one that is the same to the last letter; if none is, close this.`}
      onClose={onClose}
    >
      <form onSubmit={submit}>
        <fieldset className="choices">
          <legend className="sr">The onion addresses that your browsers know</legend>
          {choices.map((choice, at) => (
            <label className="choice" key={`${choice.identityKey} ${choice.username}`}>
              <input type="radio" name="key" checked={chosen === choice} onChange={() => setChosen(choice)} />
              <b>
                @{choice.username}
                {sourceOf(choice, at)}
              </b>
              <span className="mono key-choice">{onionOf(choice.identityKey)}</span>
            </label>
          ))}
        </fieldset>
        <footer>
          <button type="button" className="btn outline" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="btn primary" disabled={!chosen || isPending}>
            {isPending ? 'Deciding...' : 'This is the one'}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
