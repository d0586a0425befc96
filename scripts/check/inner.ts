import type { TrackedFile } from './tracked.ts'

/** Words of the protocol and its library. A person reads of chats, devices, device lists and keys. */
const INNER =
  /\b(rooms?(?! (left|for))|groups?|groupinfo|epochs?|lea(f|ves)|manifests?|keyrings?|proposals?|commits?|conversations?)\b/i

/** What a person is told of a failure: the text of an error that is thrown to a screen, and of a refusal. */
const SAID = [
  /new CryptoFailure\(\s*(?:'[^']*'|[\w.]+),\s*['"`]([^'"`]+)/g,
  /new ApiError\(\s*\d+,\s*'[^']*',\s*['"`]([^'"`]+)/g,
  /\bstatus: \d+,\s*text:\s*'([^']+)'/g,
  /\bready: false,\s*reason:\s*['"`]([^'"`]+)/g,
]

/** Finds failures that speak to people in words of the protocol. Tests are exempt. */
export function findInnerWords(files: TrackedFile[]): string[] {
  return files
    .filter(({ path }) => /^(client|contract)\/.*[.]tsx?$/.test(path))
    .filter(({ path }) => !/[.]test[.]tsx?$/.test(path) && !path.startsWith('client/testing/'))
    .flatMap(({ path, text }) =>
      SAID.flatMap((said) => [...text.matchAll(said)]).flatMap(([, words = '']) => {
        const [inner] = INNER.exec(words.replace(/[$]\{[^}]*\}/g, '')) ?? []
        return inner ? [`${path}: "${words}" says "${inner}": on screen there are chats, devices, device lists and keys`] : []
      }),
    )
}
