import { Info } from 'lucide-react'
import { Dialog } from '../../ui/Dialog.tsx'
import { Note } from '../../ui/Note.tsx'
import type { AddressRefusal } from './address.ts'
import type { Consent } from './calls.ts'
import { refusedWords } from './viewWords.ts'

interface Props {
  refusal: AddressRefusal
  name: string
  /** True for a call that rings here. */
  isRinging: boolean
  onAllow: (consent: Consent) => void
  onLeave: () => void
}

const CONSENTS: Record<AddressRefusal, Consent> = {
  ...{ no_relay: { allowsDirect: true }, shows_address: { allowsDirect: true }, leaves_tor: { leavesTor: true } },
}

/** What a call would show, before it does. What shows nothing has the focus. */
export function CallRefused({ refusal, name, isRinging, onAllow, onLeave }: Props) {
  const { title, text, note, allow } = refusedWords(refusal, name, isRinging)
  // Told once, a direct call is the usual thing; the other two would undo what the person has chosen.
  const isUsual = refusal === 'shows_address'
  const allowing = (
    <button
      type="button"
      key="allow"
      className={isUsual ? 'btn primary' : 'btn outline'}
      onClick={() => onAllow(CONSENTS[refusal])}
    >
      {allow}
    </button>
  )
  const leaving = (
    <button type="button" key="leave" className={isUsual ? 'btn outline' : 'btn primary'} data-first onClick={onLeave}>
      {isRinging ? 'Not now' : 'Do not call'}
    </button>
  )
  return (
    <Dialog title={title} text={text} onClose={onLeave}>
      {note && <Note icon={Info}>{note}</Note>}
      <footer>{isUsual ? [leaving, allowing] : [allowing, leaving]}</footer>
    </Dialog>
  )
}
