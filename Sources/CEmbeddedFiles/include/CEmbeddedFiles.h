// Files that the programs carry with them. They lie beside the Swift sources that use them.
#ifndef CEMBEDDEDFILES_H
#define CEMBEDDEDFILES_H
#include <stddef.h>

// Lives as long as the process.
typedef struct {
    const void *_Nonnull start;
    size_t size;
} EmbeddedFile;

EmbeddedFile embedded_failing_calls_c(void);
EmbeddedFile embedded_assay_subject_py(void);
EmbeddedFile embedded_subject_py(void);
EmbeddedFile embedded_assay_subject_js(void);
EmbeddedFile embedded_subject_js(void);
EmbeddedFile embedded_assay_subject_go(void);
EmbeddedFile embedded_subject_go(void);
EmbeddedFile embedded_go_mod(void);
EmbeddedFile embedded_assay_subject_h(void);
EmbeddedFile embedded_subject_c(void);
EmbeddedFile embedded_AssaySubject_java(void);
EmbeddedFile embedded_Subject_java(void);
EmbeddedFile embedded_assay_subject_rs(void);
EmbeddedFile embedded_subject_rs(void);
EmbeddedFile embedded_Package_swift(void);
EmbeddedFile embedded_main_swift(void);
EmbeddedFile embedded_mutants_tsv(void);
EmbeddedFile embedded_report_css(void);
EmbeddedFile embedded_report_js(void);
EmbeddedFile embedded_watch_html(void);

#endif
