import type { TrackedFile } from './tracked.ts'

/** Texts that the product's specification fixes, with the apostrophe of a typewriter: programs compare them. */
const FIXED = [
  "Passwords don't match",
  "New passwords don't match",
  "You've reached your monthly message limit.",
  "Your device doesn't support biometric authentication or it's not set up.",
]

const STRAIGHT = /[\p{L}\d}]'(s|t|re|ve|ll|d|m)\b/u
const COMMENT = /^\s*(\/\/|\/?\*|\{\/\*|<!--).*|\s\/\/ .*$/

/** Finds straight apostrophes in what the client and the contract show: on screen there is one kind, the curly one. Tests are exempt. */
export function findStraightApostrophes(files: TrackedFile[]): string[] {
  return files
    .filter(({ path }) => /^(client|contract)\/.*[.](tsx?|js|html)$/.test(path))
    .filter(({ path }) => !/[.]test[.]tsx?$/.test(path) && !path.startsWith('client/testing/'))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, at) => {
        const shown = FIXED.reduce((rest, fixed) => rest.replaceAll(fixed, ''), line.replace(COMMENT, ''))
        return STRAIGHT.test(shown) ? [`${path}:${at + 1}: write ’ instead of '`] : []
      }),
    )
}
