import { type Anchor, keepAnchors } from './admin/anchors.ts'
import { checkBooks } from './admin/audit.ts'
import { sumPlans, writeFigures } from './admin/figures.ts'
import { sumDays } from './admin/revenue.ts'
import { endLeftCalls } from './chat/calls/watch.ts'
import { emptyClearedMessages } from './chat/contacts/clear.ts'
import { dropOldCodes } from './chat/contacts/codes.ts'
import { dropStaleRequests } from './chat/contacts/requests.ts'
import { compareInPieces } from './chat/files/compare.ts'
import { deleteLate } from './chat/files/direct.ts'
import { deleteDropped } from './chat/files/objects.ts'
import { emptyTimed } from './chat/messages/timed.ts'
import { tellInSlices } from './chat/push/tell.ts'
import { dropOldReports } from './chat/reports/reports.ts'
import { endDueTransfers } from './chat/transfers/endTransfer.ts'
import type { Env } from './env.ts'
import type { Job } from './ground/jobs/jobs.ts'
import { dropUnusedKeyPackages } from './identity/devices/keypackages.ts'
import { dropUsedChallenges } from './identity/passkeys/passkeyChallenge.ts'
import { deleteExpiredSessions } from './identity/sessions/sessions.ts'
import { dropOldSignIns } from './identity/sessions/signins.ts'
import { type Alarms, checkLedgerDaily, checkProviderDaily, watchMoney } from './money/check/checks.ts'
import { type Gap, watchGaps } from './money/coins/addresses.ts'
import { endCards } from './money/coins/endCards.ts'
import { watchPayments } from './money/coins/watchPayments.ts'
import { followPlans } from './money/ledger/ledger.ts'
import type { Card } from './money/payments/card.ts'
import { mailFailures } from './money/payments/failureMail.ts'
import { askForOverdue } from './money/payments/webhook.ts'
import { dropOldReceipts, writeReceipts } from './money/receipts/receipts.ts'
import { moveDays } from './people/presence/presence.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

interface Told {
  /** It learns once a day where the chains of hashes end. */
  keep: (anchors: Anchor[]) => void
  /** It learns each minute where money needs somebody. */
  alarm: ((alarms: Alarms) => void) | undefined
  /** It learns each hour how many addresses in a row were never paid. */
  gaps: (gaps: Gap[]) => void
}

/** The periodic jobs of one server. */
export const everyJob = ({ card }: Pick<Env, 'card'>, { keep, alarm, gaps }: Told): Job[] => [
  { name: 'expired-sessions', periodSeconds: HOUR, work: deleteExpiredSessions },
  { name: 'used-challenges', periodSeconds: HOUR, work: dropUsedChallenges },
  { name: 'old-sign-ins', periodSeconds: DAY, work: dropOldSignIns },
  { name: 'old-contact-codes', periodSeconds: DAY, work: dropOldCodes },
  { name: 'cleared-messages', periodSeconds: HOUR, work: emptyClearedMessages },
  // Less than the minute between two looks.
  { name: 'timed-messages', periodSeconds: 50, work: emptyTimed },
  { name: 'daily-figures', periodSeconds: HOUR, work: writeFigures },
  { name: 'days-of-income', periodSeconds: DAY, work: sumDays },
  { name: 'plan-counts', periodSeconds: HOUR, work: sumPlans },
  { name: 'newest-hashes', periodSeconds: DAY, work: keepAnchors(keep) },
  { name: 'days-of-presence', periodSeconds: HOUR, work: moveDays },
  { name: 'old-reports', periodSeconds: DAY, work: dropOldReports },
  { name: 'stale-requests', periodSeconds: DAY, work: dropStaleRequests },
  // Less than the minute between two looks, as of the next job.
  { name: 'dropped-files', periodSeconds: 50, work: deleteDropped },
  { name: 'late-files', periodSeconds: 50, work: deleteLate },
  plansJob(),
  // Less than the minute between two looks.
  { name: 'coin-payments', periodSeconds: 25, work: watchPayments },
  // The same.
  { name: 'receipts', periodSeconds: 50, work: writeReceipts },
  { name: 'old-receipts', periodSeconds: DAY, work: dropOldReceipts },
  { name: 'coin-gaps', periodSeconds: HOUR, work: watchGaps(gaps) },
  { name: 'coins-end-cards', periodSeconds: 50, work: endCards },
  { name: 'unused-key-packages', periodSeconds: DAY, work: dropUnusedKeyPackages },
  compareJob(),
  pushJob(),
  callsJob(),
  { name: 'due-transfers', periodSeconds: 50, work: endDueTransfers },
  overdueJob(),
  { name: 'mail-failed-renewals', periodSeconds: 50, work: mailFailures },
  ...renewalJobs(card),
  ...checkJobs(),
  ...(alarm ? [{ name: 'money-alarms', periodSeconds: 50, work: watchMoney(alarm) }] : []),
]

/** It remembers how far it is, so each server has its own, as the next one. */
const plansJob = (): Job => ({ name: 'ended-plans', periodSeconds: 5 * MINUTE, work: followPlans() })

const compareJob = (): Job => ({ name: 'compared-files', periodSeconds: DAY, work: compareInPieces() })

/** Less than the minute between two looks, so that none is left out. It finds what no process has pushed at once. */
const pushJob = (): Job => ({ name: 'push', periodSeconds: 50, work: tellInSlices() })

const callsJob = (): Job => ({ name: 'left-calls', periodSeconds: 50, work: endLeftCalls() })
/** Asks the card provider what it may have told in vain. */
const overdueJob = (): Job => ({ name: 'overdue-cards', periodSeconds: HOUR, work: askForOverdue() })

/** The card sandbox bills what is due by the clock. */
const renewalJobs = ({ inside }: Card): Job[] =>
  inside ? [{ name: 'sandbox-renewals', periodSeconds: 50, work: inside.renewals }] : []

/** Each looks every minute whether a day has passed, because one walk takes many pieces. */
const checkJobs = (): Job[] => [
  { name: 'check-ledger', periodSeconds: 50, work: checkLedgerDaily(checkBooks) },
  { name: 'check-provider', periodSeconds: 50, work: checkProviderDaily() },
]
