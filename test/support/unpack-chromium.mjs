// Unpacks the packaged Chromium into TMPDIR, in a process of its own: the package knows no other place.
import chromium from '@sparticuz/chromium';

await chromium.executablePath();
