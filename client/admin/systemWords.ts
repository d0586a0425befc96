import type { z } from 'zod'
import type { adminApi } from '../../contract/admin/admin.ts'
import { moment } from '../ui/time.ts'
import { countWords } from './adminWords.ts'

type System = z.output<typeof adminApi.system.output>
type Check = System['checks'][number]
type CardError = NonNullable<System['cards']>['errors'][number]

export const CHECKS_TITLE = 'Checks of money'
export const CHECKS_TEXT = 'Each day, and on the machine of the server by npm run account: check-ledger, check-provider.'
export const CHECKS_AWAITED = 'The first checks end within some minutes of the start.'
export const CARDS_TITLE = 'Card provider'
export const CARDS_TEXT = 'As this process knows it. Its dashboard finds the words of an error by the request.'

export const CHECK_NAMES: Record<Check['name'], string> = {
  ledger: 'Ledger and accounts',
  provider: 'Card provider and coins',
}

export const momentWords = (at: string | null): string => (at === null ? 'none yet' : moment(new Date(at)))

/** "Nov 30, 2026, 3:04 AM · 1,284 looked at · nothing differs" */
export function checkWords({ finishedAt, looked, differing, mended }: Check): string {
  const differs = differing === 0 ? 'nothing differs' : differing === 1 ? '1 difference' : `${countWords(differing)} differences`
  return [
    ...[momentWords(finishedAt), `${countWords(looked)} looked at`, differs],
    ...(mended > 0 ? [`${countWords(mended)} mended`] : []),
  ].join(' · ')
}

/** "The first 50 of 62." */
export const leftOutWords = ({ differing, mended, lines }: Check): string | null =>
  differing + mended > lines.length ? `The first ${countWords(lines.length)} of ${countWords(differing + mended)}.` : null

export const refusedWords = (count: number, lastAt: string | null): string =>
  count === 0 ? 'none' : `${countWords(count)}, the last ${momentWords(lastAt)}`

export const errorWords = ({ type, code, param, requestId }: CardError): string =>
  [type, code, param, requestId].filter(Boolean).join(' · ')
