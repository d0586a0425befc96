import { ConsentDialog } from '../../ui/ConsentDialog.tsx'
import { type Question, questionWords } from './stageWords.ts'
import type { TransferConsent } from './transferVerbs.ts'

interface Props {
  question: Question
  name: string
  isMine: boolean
  onAllow: (consent: TransferConsent) => void
  onLeave: () => void
}

const CONSENTS: Record<Question, TransferConsent> = {
  ...{ no_relay: { allowsDirect: true }, shows_address: { allowsDirect: true }, relay_limit: { allowsDirect: true } },
  leaves_tor: { leavesTor: true },
}

/** What a transfer would show, before it does. */
export const TransferQuestion = ({ question, name, isMine, onAllow, onLeave }: Props) => (
  <ConsentDialog
    {...questionWords(question, name, isMine)}
    leave="Not now"
    isUsual={question === 'shows_address'}
    onAllow={() => onAllow(CONSENTS[question])}
    onLeave={onLeave}
  />
)
