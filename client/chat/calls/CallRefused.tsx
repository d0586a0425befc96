import { ConsentDialog } from '../../ui/ConsentDialog.tsx'
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

const CONSENTS: Record<Exclude<AddressRefusal, 'tor_required'>, Consent> = {
  ...{ no_relay: { allowsDirect: true }, shows_address: { allowsDirect: true }, leaves_tor: { leavesTor: true } },
}

/** What a call would show, before it does. */
export const CallRefused = ({ refusal, name, isRinging, onAllow, onLeave }: Props) => (
  <ConsentDialog
    {...refusedWords(refusal, name, isRinging)}
    leave={refusal === 'tor_required' ? 'Close' : isRinging ? 'Not now' : 'Do not call'}
    isUsual={refusal === 'shows_address'}
    onAllow={() => refusal !== 'tor_required' && onAllow(CONSENTS[refusal])}
    onLeave={onLeave}
  />
)
