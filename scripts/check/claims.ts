import type { Claim } from '../../client/site/claim.ts'
import { CLAIMS } from '../../client/site/claims.ts'
import { hasTest } from './titles.ts'
import type { TrackedFile } from './tracked.ts'

const LANDING = 'client/site/Landing.tsx'

/** Finds claims that nothing stands behind, and claims that are not said where the ledger names it. */
export function unprovenIn(claims: readonly Claim[], files: TrackedFile[]): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const says = (file: string, words: string) => texts.get(file)?.replace(/\s+/g, ' ').includes(words) === true
  return claims.flatMap(({ id, caption, tests, limit, figure, shown }, at) => {
    const where = `claim ${id}`
    return [
      ...(claims.findIndex((other) => other.id === id) === at ? [] : [`${where} stands there twice`]),
      ...(caption === '' ? [`${where} has no caption`] : []),
      ...(tests.length === 0 && !limit ? [`${where} has neither a test nor a limit`] : []),
      ...[...tests, ...(figure ? [figure.test] : [])]
        .filter(({ file, title }) => ![title, title.replaceAll('’', "'")].some((one) => hasTest(texts.get(file), one)))
        .map(({ file, title }) => `${where}: ${file} has no test "${title}"`),
      ...shown
        .map((place) => (place === 'landing' ? { file: LANDING, words: `'${id}'` } : place))
        .filter(({ file, words }) => !says(file, words))
        .map(({ file, words }) => `${where}: ${file} does not say "${words}"`),
    ]
  })
}

export const findUnprovenClaims = (files: TrackedFile[]): string[] => unprovenIn(CLAIMS, files)
