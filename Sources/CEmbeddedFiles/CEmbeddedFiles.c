// As `.embedInCode` these files would be literals of arrays, which Swift compiles for a minute.
#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#define FILE_OF(name) EmbeddedFile embedded_##name(void) { return (EmbeddedFile){name, sizeof name}; }

static const unsigned char failing_calls_c[] = {
#embed "../CacheConformance/FailingCalls/failing_calls.c"
};
FILE_OF(failing_calls_c)

static const unsigned char assay_subject_py[] = {
#embed "../CacheKits/python/assay_subject.py"
};
FILE_OF(assay_subject_py)

static const unsigned char subject_py[] = {
#embed "../CacheKits/python/subject.py"
};
FILE_OF(subject_py)

static const unsigned char assay_subject_js[] = {
#embed "../CacheKits/node/assay-subject.js"
};
FILE_OF(assay_subject_js)

static const unsigned char subject_js[] = {
#embed "../CacheKits/node/subject.js"
};
FILE_OF(subject_js)

static const unsigned char assay_subject_go[] = {
#embed "../CacheKits/go/assay_subject.go"
};
FILE_OF(assay_subject_go)

static const unsigned char subject_go[] = {
#embed "../CacheKits/go/subject.go"
};
FILE_OF(subject_go)

static const unsigned char go_mod[] = {
#embed "../CacheKits/go/go.mod"
};
FILE_OF(go_mod)

static const unsigned char assay_subject_h[] = {
#embed "../CacheKits/c/assay_subject.h"
};
FILE_OF(assay_subject_h)

static const unsigned char subject_c[] = {
#embed "../CacheKits/c/subject.c"
};
FILE_OF(subject_c)

static const unsigned char AssaySubject_java[] = {
#embed "../CacheKits/java/AssaySubject.java"
};
FILE_OF(AssaySubject_java)

static const unsigned char Subject_java[] = {
#embed "../CacheKits/java/Subject.java"
};
FILE_OF(Subject_java)

static const unsigned char assay_subject_rs[] = {
#embed "../CacheKits/rust/assay_subject.rs"
};
FILE_OF(assay_subject_rs)

static const unsigned char subject_rs[] = {
#embed "../CacheKits/rust/subject.rs"
};
FILE_OF(subject_rs)

static const unsigned char Package_swift[] = {
#embed "../CacheKits/swift/Package.swift"
};
FILE_OF(Package_swift)

static const unsigned char main_swift[] = {
#embed "../CacheKits/swift/main.swift"
};
FILE_OF(main_swift)

static const unsigned char mutants_tsv[] = {
#embed "../CacheMutants/mutants.tsv"
};
FILE_OF(mutants_tsv)

static const unsigned char report_css[] = {
#embed "../CacheReports/Templates/report.css"
};
FILE_OF(report_css)

static const unsigned char report_js[] = {
#embed "../CacheReports/Templates/report.js"
};
FILE_OF(report_js)

static const unsigned char watch_html[] = {
#embed "../CacheWatch/Templates/watch.html"
};
FILE_OF(watch_html)
