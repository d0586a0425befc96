const BROWSERS: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** What this browser is called in the account's device list, such as "Firefox on Windows". */
export function thisBrowser(agent: string = navigator.userAgent): string {
  const find = (names: [RegExp, string][], otherwise: string) => names.find(([pattern]) => pattern.test(agent))?.[1] ?? otherwise
  return `${find(BROWSERS, 'Browser')} on ${find(SYSTEMS, 'an unknown system')}`
}
